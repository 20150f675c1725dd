package cli

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// surprises are the scores whose mean is a blend; nil if they are not wanted, or there are
// none.
type surprises struct {
	of     *local.Ensemble
	block  *mat.Dense // surprises of the rows scored last
	beyond []int      // number of rows that score higher than every own row, by member
	rows   int
}

func surprisesOf(m *model.Model, explain bool) *surprises {
	if e := m.Ensemble(); explain && e != nil {
		return &surprises{of: e, beyond: make([]int, len(e.Members))}
	}
	return nil
}

func (s *surprises) head() (names []string) {
	if s == nil {
		return nil
	}
	for _, m := range s.of.Members {
		names = append(names, "surprise_"+m.Name)
	}
	return names
}

// scores returns the scores of rows in the coordinates of training.
func (s *surprises) scores(m *model.Model, z *mat.Dense) ([]float64, error) {
	if s == nil {
		return m.Scores(z)
	}
	n, _ := z.Dims()
	scores := make([]float64, n)
	s.block = mat.NewDense(n, len(s.of.Members), nil)
	err := s.of.Each(rows.InMemory(z), func(from int, block []float64, at *mat.Dense) {
		copy(scores[from:], block)
		s.block.Slice(from, from+len(block), 0, len(s.of.Members)).(*mat.Dense).Copy(at)
	})
	for i := range n {
		for j, m := range s.of.Members {
			if s.block.At(i, j) > m.Most() {
				s.beyond[j]++
			}
		}
	}
	s.rows += n
	return scores, err
}

// line appends the surprises of a row.
func (s *surprises) line(line []string, row int) []string {
	if s != nil {
		for _, v := range s.block.RawRowView(row) {
			line = append(line, decimal(v))
		}
	}
	return line
}

// tell prints how many rows score higher than every own row: own rows cannot rank these
// further.
func (s *surprises) tell(a *app) {
	if s == nil || s.rows == 0 {
		return
	}
	var parts []string
	for j, m := range s.of.Members {
		parts = append(parts, fmt.Sprintf("%s %s %%", m.Name, report.Fixed(100*float64(s.beyond[j])/float64(s.rows), 1)))
	}
	a.note("rows that score higher than every own row: %s", strings.Join(parts, ", "))
}
