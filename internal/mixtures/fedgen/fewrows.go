package fedgen

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/internal/privacy"
)

// rounded is the most by which the rounding of weights may move a component's number of rows.
const rounded = 1e-6

func (c Config) minRows() int {
	if c.MinRows == 0 {
		return privacy.MinRows
	}
	return c.MinRows
}

// WithoutFew returns a contribution in which every component has at least `least` rows, and the
// number of components of c that had fewer. It repeatedly takes the component of fewest rows,
// and the partner with which merging costs least by Runnalls (2007). One component with the
// weight, mean and covariance of both replaces them. If c has fewer than least rows in all, one
// component remains.
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
		large.Weights[k] = math.Min(w, 1) // rounding may push a sum of weights above 1
	}
	return large, few, nil
}
