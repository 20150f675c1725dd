package cli

import (
	"fmt"
	"io"
	"strconv"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/model"
)

// writeClasses writes the likeliest class of each row of spec with its probability, or the
// probabilities of all classes.
func (a *app) writeClasses(out io.Writer, m *model.Model, spec dataset.Spec, all bool) error {
	own := []string{"class", "probability"}
	if all {
		for k := range m.Classifier().Classes() {
			own = append(own, fmt.Sprintf("p%d", k))
		}
	}
	var line []string
	return writeLines(a, out, spec, func(carried []string) []string {
		return scoring.Header(carried, own)
	}, dataset.Scan, func(b dataset.Block, write func([]string) error) error {
		p, err := m.Classifier().Probabilities(m.Trained(b.X))
		if err != nil {
			return err
		}
		for i, number := range b.Numbers {
			line = append(append(line[:0], strconv.Itoa(number)), b.Carried[i]...)
			if b.Empty[i] {
				if err := write(append(line, make([]string, len(own))...)); err != nil {
					return err
				}
				continue
			}
			of := p.RawRowView(i)
			class := metrics.Likeliest(of)
			line = append(line, strconv.Itoa(class), scoring.Decimal(of[class]))
			if all {
				for _, v := range of {
					line = append(line, scoring.Decimal(v))
				}
			}
			if err := write(line); err != nil {
				return err
			}
		}
		return nil
	})
}
