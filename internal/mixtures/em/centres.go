package dem

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
)

// fromCentres sums all rows, each weighted over the clusters by its distance to the centres,
// and returns the mixture of the clusters. Each component also counts one extra row at its
// mean, with the covariance within components. So a component of few rows or none does not
// become a spike and is not lost.
func (l *Learner) fromCentres(ctx context.Context, g collabdict.Group, centres *mat.Dense) (*gmm.Mixture, error) {
	form := l.config.Form
	k, dim := centres.Dims()
	frame, err := frame(centres, form)
	if err != nil {
		return nil, fmt.Errorf("centres: %w", err)
	}
	own, err := l.softSums(centres)
	if err != nil {
		return nil, err
	}
	total, err := g.Sum(ctx, l.summand(own, k, form, "first"))
	if err != nil {
		return nil, fmt.Errorf("sum of the first components: %w", err)
	}
	if _, total, err = l.statistics(total, k, form, frame.SumsLen()); err != nil {
		return nil, fmt.Errorf("first components: %w", err)
	}
	l.unmoved = l.unmoved.Next(total[:k], l.noise, 0)
	for c := range k {
		if total[c] >= leastRows {
			continue
		}
		for at := c; at < len(total); at += k { // rounding residue of a component without rows
			total[at] = 0
		}
	}
	clip(total, k, dim, form)
	l.sharpen(total, k, form)
	l.addWithin(total, centres)
	return maximise(total, frame, l.origin, l.config.RegCovar)
}

// softness is the maximum number of variables for which a distance counts. With more, nearly
// every row would belong to one component only, and totals would show when a row changes
// components.
const softness = 3

// variance estimates the rows' variance about their centres, as if rows reached half way to the
// nearest other centre. It is at least a small share of the variance that the bounds allow.
func (l *Learner) variance(centres *mat.Dense) float64 {
	k, dim := centres.Dims()
	sum := 0.0
	for c := range k {
		least := math.Inf(1)
		for o := range k {
			if d := math.Sqrt(passes.SquaredDistance(centres.RawRowView(c), centres.RawRowView(o))); o != c {
				least = math.Min(least, float64(d*d))
			}
		}
		sum += least
	}
	largest := 0.0
	for _, v := range l.limits.RMS {
		largest = math.Max(largest, float64(v*v))
	}
	v := math.Max(sum/float64(4*k*min(dim, softness)), 1e-9*largest)
	return math.Min(v, largest) // v is infinite if there is only one centre
}

// frame returns a mixture with the centres as means, from which an M-step can start.
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

// addWithin adds one row to the sums of each component: at the component's mean (or its centre,
// if it has no rows), with the covariance within all components.
func (l *Learner) addWithin(sums []float64, centres *mat.Dense) {
	k, dim := centres.Dims()
	n, first, second := sums[:k], sums[k:k+k*dim], sums[k+k*dim:]
	rows := math.Max(passes.Sum(n), leastRows)
	shift := func(i, c int) float64 {
		if n[c] == 0 {
			return centres.At(c, i) - l.origin[i]
		}
		return first[i*k+c] / n[c]
	}
	pair := 0
	for i := range dim {
		for j := i; j < lastOf(i, dim, l.config.Form); j++ {
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
