package fedgen

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/gmm/privacy"
)

// rounded is by how much the rounding of weights may take the rows of a component off
// their whole number.
const rounded = 1e-6

func (c Config) minRows() int {
	if c.MinRows == 0 {
		return privacy.MinRows
	}
	return c.MinRows
}

// WithoutFew returns a contribution in which no component is of fewer rows than least,
// and how many are in c. Always the one of fewest rows is replaced, with the one for
// which that costs least by Runnalls (2007), by one with their weight, mean and covariance. The
// contribution of fewer rows in all is one component.
func (c Contribution) WithoutFew(least int) (large Contribution, few int, err error) {
	enough := (float64(least) - rounded) / float64(c.Rows)
	for _, w := range c.Weights {
		if w < enough {
			few++
		}
	}
	if few == 0 {
		return c, 0, nil
	}
	r, err := withoutCosts(c.Moments)
	if err != nil {
		return Contribution{}, 0, err
	}
	for r.left > 1 {
		lightest := -1
		for k, w := range r.Weights {
			if w > 0 && (lightest < 0 || w < r.Weights[lightest]) {
				lightest = k
			}
		}
		if r.Weights[lightest] >= enough {
			break
		}
		partner, least := -1, math.Inf(1)
		room := make([]float64, len(r.Covariances[lightest]))
		for k := range r.Weights {
			if k == lightest {
				continue
			}
			if cost := r.price(lightest, k, room); cost < least {
				partner, least = k, cost
			}
		}
		if partner < 0 {
			return Contribution{}, 0, fmt.Errorf("a component of %.3g rows is too far from all others to be merged: scale the columns or raise the regularisation", r.Weights[lightest]*float64(c.Rows))
		}
		r.join(partner, lightest)
	}
	large = Contribution{Rows: c.Rows, Moments: r.moments()}
	for k, w := range large.Weights {
		large.Weights[k] = math.Min(w, 1) // which the rounding of their sum may exceed
	}
	return large, few, nil
}
