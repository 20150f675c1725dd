package dem

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/bounds"
)

// fromCentres sums all rows, each in the component of the centre nearest to it, and
// returns their mixture. Each component has one more row's worth of the covariance
// within components, at its mean: so that one of few rows or none is no spike, and is
// not lost.
func (l *Learner) fromCentres(ctx context.Context, g collabdict.Group, centres *mat.Dense) (*gmm.Mixture, error) {
	form := l.config.Form
	frame, err := frame(centres, form)
	if err != nil {
		return nil, fmt.Errorf("centres: %w", err)
	}
	own, err := gmm.HardSums(l.rows, centres, form)
	if err != nil {
		return nil, err
	}
	total, err := g.Sum(ctx, own, bounds.Append(l.limits.sums(centres, form), 1, 1))
	if err != nil {
		return nil, fmt.Errorf("sum of the first components: %w", err)
	}
	if err := check(total, frame.SumsLen()); err != nil {
		return nil, err
	}
	k, dim := centres.Dims()
	for c := range k {
		if total[c] >= leastRows {
			continue
		}
		for at := c; at < len(total); at += k { // what rounding has left of no row
			total[at] = 0
		}
	}
	clip(total, k, dim, form)
	addWithin(total, k, dim, form)
	return maximise(total, frame, l.config.RegCovar)
}

// frame is a mixture with the centres for means, to take an M-step from.
func frame(centres *mat.Dense, form gmm.Covariance) (*gmm.Mixture, error) {
	k, dim := centres.Dims()
	weights, ones := make([]float64, k), mat.NewDense(k, dim, nil)
	full := make([]*mat.SymDense, k)
	for c := range k {
		weights[c] = 1 / float64(k)
		full[c] = mat.NewSymDense(dim, nil)
		for i := range dim {
			ones.Set(c, i, 1)
			full[c].SetSym(i, i, 1)
		}
	}
	if form == gmm.Full {
		return gmm.NewMixture(weights, centres, full)
	}
	return gmm.NewDiagMixture(form, weights, centres, ones)
}

// addWithin adds to the sums over the rows of each component those of one row with the
// component's mean, and with the covariance within all components.
func addWithin(sums []float64, k, dim int, form gmm.Covariance) {
	n, first, second := sums[:k], sums[k:k+k*dim], sums[k+k*dim:]
	rows := floats.Sum(n)
	shift := func(i, c int) float64 { return first[i*k+c] / math.Max(n[c], 1) }
	pair := 0
	for i := range dim {
		last := dim
		if form != gmm.Full {
			last = i + 1
		}
		for j := i; j < last; j++ {
			at := second[pair*k : (pair+1)*k]
			pair++
			within := 0.0
			for c := range k {
				within += (at[c] - float64(first[i*k+c]*shift(j, c))) / rows
			}
			for c := range k {
				at[c] += within + float64(shift(i, c)*shift(j, c))
			}
		}
	}
	for i := range dim {
		for c := range k {
			first[i*k+c] += shift(i, c)
		}
	}
	for c := range n {
		n[c]++
	}
}
