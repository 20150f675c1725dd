package fedgen

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/gmm/privacy"
)

// Privacy asks for a contribution that is (Epsilon, Delta)-differentially private: what is
// published has nearly the same distribution with any one row of the participant's or
// without it. It holds for all that [Private] returns, the number of rows included,
// and for no other use of these rows: neither a refinement by sums, nor a second
// contribution, whose Epsilon and Delta add up.
type Privacy struct {
	Epsilon, Delta float64
	// Low and High are the range of each column. They must be known without looking at
	// the rows, which are clamped to them.
	Low, High []float64
	// Iterations of EM are run, whatever the rows are; each adds noise. 0 means 10.
	Iterations int
}

// Validate reports the first field that is out of range for rows of dim columns.
func (p Privacy) Validate(dim int) error {
	if !(p.Epsilon > 0 && p.Epsilon <= 100) || !(p.Delta > 0 && p.Delta < 1) {
		return fmt.Errorf("privacy: want an epsilon above 0 and at most 100, and a delta between 0 and 1, got %g and %g", p.Epsilon, p.Delta)
	}
	if len(p.Low) != dim || len(p.High) != dim {
		return fmt.Errorf("privacy: want a range for each of the %d columns, got %d low and %d high ends", dim, len(p.Low), len(p.High))
	}
	for i, low := range p.Low {
		if width := p.High[i] - low; !(width > 0) || math.IsInf(width, 1) || math.IsInf(low, 0) {
			return fmt.Errorf("privacy: column %d: want a finite range from low to high, got %g to %g", i+1, low, p.High[i])
		}
	}
	if p.Iterations < 0 {
		return fmt.Errorf("privacy: want at least 1 iteration, or 0 for 10, got %d", p.Iterations)
	}
	return nil
}

func (p Privacy) iterations() int {
	if p.Iterations == 0 {
		return 10
	}
	return p.Iterations
}

// Sigma is the standard deviation of the noise, in units of what one row can change in
// each of the three kinds of sums. Adding or removing a row changes the counts, the sums
// and the sums of products of an iteration by a vector of length 1 each in these units,
// so of length √3 together; iterations choose their mixture by what came out before, and
// compose to one Gaussian mechanism of sensitivity √(3·Iterations) (Dong, Roth and Su
// 2022). Noisy sums are rounded ([privacy.Noisy]).
func (p Privacy) Sigma() float64 {
	return math.Sqrt(3*float64(p.iterations())) / privacy.GaussianRatio(p.Epsilon, p.Delta)
}
