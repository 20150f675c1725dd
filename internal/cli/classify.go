package cli

import (
	"fmt"
	"io"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/model"
)

// writeClasses writes the likeliest class of each row of spec with its probability, or the
// probabilities of all classes.
func (a *app) writeClasses(out io.Writer, m *model.Model, spec dataset.Spec, all bool) error {
	head := []string{"row", "class", "probability"}
	if all {
		for k := range m.Classifier().Classes() {
			head = append(head, fmt.Sprintf("p%d", k))
		}
	}
	line := make([]string, 0, len(head))
	return a.writeLines(out, spec, head, func(x *mat.Dense, numbers []int, write func([]string) error) error {
		p, err := m.Classifier().Probabilities(m.Trained(x))
		if err != nil {
			return err
		}
		for i, number := range numbers {
			of := p.RawRowView(i)
			class := metrics.Likeliest(of)
			line = append(line[:0], strconv.Itoa(number), strconv.Itoa(class), decimal(of[class]))
			if all {
				for _, v := range of {
					line = append(line, decimal(v))
				}
			}
			if err := write(line); err != nil {
				return err
			}
		}
		return nil
	})
}
