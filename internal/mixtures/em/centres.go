package em

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/privacy/guard"
)

// startPlain returns the first mixture, as the only candidate. It sets the origin: 0 if rows are
// near it, else the middle of the mixture's means or of the centres.
func (l *Learner) startPlain(ctx context.Context, g collabdict.Group) ([]*candidate, error) {
	start := l.config.Plain
	l.running = collabdict.Running{Key: statisticsKey}
	form := plain{origin: make([]float64, l.rows.Dim), regCovar: cmp.Or(start.RegCovar, RegCovar), blur: l.config.Blur}
	var model *gmm.Mixture
	var centres *mat.Dense
	var err error
	if start.Mixture != nil {
		model, err = start.Mixture(ctx, g)
	} else if centres, err = start.Centres(ctx, g); err == nil {
		if model, err = frame(centres, start.Form); err != nil {
			err = fmt.Errorf("centres: %w", err)
		}
	}
	if err != nil {
		return nil, err
	}
	if model.Dim() != l.rows.Dim {
		return nil, fmt.Errorf("want a first mixture of %d columns, as many as the rows have, got %d", l.rows.Dim, model.Dim())
	}
	if l.blur == nil {
		form.origin = middle(model.Means())
	}
	l.origin = form.origin
	l.limits = limits{Bounds: columnstats.Bounds{Rows: l.agreed.Rows, RMS: reach(l.agreed, l.origin)}, full: model.Form() == gmm.Full}
	c := &candidate{view: l.view, components: model.Components(), form: form, model: model}
	if centres != nil {
		err = l.fromCentres(ctx, g, c, centres)
	}
	return []*candidate{c}, err
}

func middle(points *mat.Dense) []float64 {
	k, dim := points.Dims()
	out := make([]float64, dim)
	for c := range k {
		for i, v := range points.RawRowView(c) {
			out[i] += v / float64(k)
		}
	}
	return out
}

// reach returns, per column, an upper bound of the root mean square distance from a point to
// the rows of any member. By Minkowski's inequality it is the column's root mean square plus
// the size of the point.
func reach(b columnstats.Bounds, point []float64) []float64 {
	out := make([]float64, len(point))
	for i, v := range b.RMS {
		out[i] = v + math.Abs(point[i])
	}
	return out
}

// fromCentres sums all rows, each weighted over the clusters by its distance to the centres,
// and sets the candidate to the mixture of the clusters; its present one frames the centres. Each
// component also counts one extra row at its mean, with the covariance within components. So a
// component of few rows or none does not become a spike and is not lost.
func (l *Learner) fromCentres(ctx context.Context, g collabdict.Group, c *candidate, centres *mat.Dense) error {
	form, k, dim := c.model.Form(), c.components, l.rows.Dim
	sums, err := l.softSums(centres)
	if err != nil {
		return err
	}
	x := append([]float64{float64(l.rows.N)}, sums...)
	l.blurAll(x, []*candidate{c}, "first")
	total, err := g.Sum(ctx, l.summand(x, blocksOf([]*candidate{c})))
	if err != nil {
		return fmt.Errorf("sum of the first components: %w", err)
	}
	if err := l.check(total, []*candidate{c}, []int{1}, len(x)); err != nil {
		return fmt.Errorf("first components: %w", err)
	}
	total = slices.Clone(total[1:])
	for i := range k {
		if total[i] >= leastRows {
			continue
		}
		for at := i; at < len(total); at += k { // rounding residue of a component without rows
			total[at] = 0
		}
	}
	clip(total, k, dim, form)
	sharpen(total, l.origin, k, form, l.config.Blur)
	l.addWithin(total, centres, form)
	c.model, err = maximise(total, c.model, l.origin, c.form.(plain).regCovar)
	return err
}

// softSums returns the sums of the start, in which each row belongs to the clusters of all
// centres, after applying the rule of diversity. There is no component yet from which to draw,
// and nothing to stop, so rows of a cluster with low diversity count for other clusters.
func (l *Learner) softSums(centres *mat.Dense) ([]float64, error) {
	k, _ := centres.Dims()
	s, err := guard.Apart(l.config.Diversity, 1, k, func(without []bool) (*passes.Moments, []privacy.Shares, error) {
		s, err := l.rows.SoftMoments(k, centres.RawMatrix().Data, l.variance(centres), l.origin, l.limits.full, without)
		if err != nil {
			return nil, nil, err
		}
		return s, s.Shares, nil
	})
	if err != nil {
		return nil, err
	}
	return append(s.Pack(), 0), nil
}

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
	for _, v := range l.agreed.RMS {
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
func (l *Learner) addWithin(sums []float64, centres *mat.Dense, form gmm.Covariance) {
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
		for j := i; j < pairsEnd(i, dim, form); j++ {
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
