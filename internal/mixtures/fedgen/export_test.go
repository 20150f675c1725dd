package fedgen

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
)

// Learn makes a participant's whole part.
func Learn(ctx context.Context, g collabdict.Group, x *mat.Dense, c Config) (*Result, error) {
	own, _, err := Local(x, c)
	if err != nil {
		return nil, err
	}
	return Exchange(ctx, g, own, c)
}

// Reduce merges components until k are left. It also returns the sum of the costs.
func (m Moments) Reduce(k int) (left Moments, cost float64, err error) {
	r, err := newReduction(m)
	for err == nil && r.left > k {
		least := math.Inf(1)
		for i := range r.next {
			least = min(least, r.cheapest(i))
		}
		cost += least
		err = r.step()
	}
	if err != nil {
		return Moments{}, 0, err
	}
	return r.moments(), cost, nil
}
