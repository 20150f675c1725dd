package gmm

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/bounds"
)

// CheckRows returns an error for the first value that is not finite, or so large that
// sums of products cannot be bounded.
func CheckRows(rows Rows) error {
	return newReader(rows).check(math.Ldexp(1, bounds.MaxExp-1))
}

// EStepRows is EStep of rows that need not be in memory.
func (m *Mixture) EStepRows(rows Rows) ([]float64, error) {
	if _, dim := rows.Dims(); dim != m.Dim() {
		panic(errShape)
	}
	s, _, err := m.eStep(newReader(rows), m.means, false)
	if err != nil {
		return nil, err
	}
	return append(s.pack(), s.logLik), nil
}

// HardSums returns the sums of EStep, about the centres, with each row in the component
// of the centre nearest to it, and 0 for the log-likelihood.
func HardSums(rows Rows, centres *mat.Dense, form Covariance) ([]float64, error) {
	_, dim := rows.Dims()
	if _, got := centres.Dims(); got != dim {
		panic(errShape)
	}
	s, err := hardMoments(newReader(rows), nearestOf(centres), centres, form == Full)
	if err != nil {
		return nil, err
	}
	return append(s.pack(), 0), nil
}
