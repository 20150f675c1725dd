package fedgen

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/internal/privacy"
)

// Privacy asks for an (Epsilon, Delta)-differentially private contribution: its distribution is
// nearly the same with or without any one row of the participant. The guarantee holds for
// everything that [Private] returns, including the number of rows. It covers no other use of these
// rows, such as a refinement by sums. With a second contribution, Epsilon and Delta add up.
type Privacy struct {
	Epsilon, Delta float64
	// Low and High are the range of each column. They must be known without looking at the
	// rows, whose values are clamped to them.
	Low, High []float64
	// Iterations is the number of EM iterations, which does not depend on the rows. Each one
	// adds noise. 0 means 10.
	Iterations int
}

// Validate returns an error for the first field that is out of range for rows of dim columns.
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

// account returns the account of all iterations, which have the same noise.
func (p Privacy) account() *privacy.Account {
	return privacy.NewOwnAccount(privacy.Allowed(p.Epsilon, p.Delta), p.iterations())
}

// sensitivity bounds how much one row changes all sums of an iteration, in units of the largest
// change that it can make to each of the three kinds. In these units, it changes the counts, the
// sums and the sums of products by a vector of length 1 each.
var sensitivity = math.Sqrt(3)

// Sigma returns the standard deviation of the noise, in these units. Noisy sums are rounded
// ([privacy.Noisy]).
func (p Privacy) Sigma() float64 { return p.account().Plan(1).Deviation(sensitivity) }
