package gmm

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
)

// CheckRows returns an error for the first value that is not finite, or so large that sums of
// products would have no bound.
func CheckRows(rows Rows) error {
	return passes.NewReader(rows).Check(math.Ldexp(1, columnstats.MaxExp-1))
}

// StepAbout is [Mixture.MStep] for sums whose moments are about an origin of M values instead of the
// means. It ignores the last value.
func (m *Mixture) StepAbout(origin, sums []float64, regCovar float64) (*Mixture, error) {
	if len(sums) != m.SumsLen() {
		return nil, fmt.Errorf("want %d sums, got %d", m.SumsLen(), len(sums))
	}
	s := passes.Unpack(sums, m.Components(), m.Dim(), m.form == Full)
	return m.maximise(s, regCovar, repeated(origin, m.Components()))
}

func repeated(x []float64, k int) *mat.Dense {
	return mat.NewDense(k, len(x), slices.Repeat(x, k))
}
