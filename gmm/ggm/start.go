package ggm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/internal/passes"
	"github.com/collabdict/collabdict/internal/columnstats"
	"github.com/collabdict/collabdict/internal/portable"
)

// starter finds the first parameters by sums alone: the best of several clusterings of all
// participants' rows, without showing any row.
type starter struct {
	*Learner
	group collabdict.Group
	// carrier is the group itself, which knows the members that totals have counted.
	carrier collabdict.Group
	known   *columnstats.Moments // of all rows
	vectors uint64
}

const (
	draws      = 8 // random candidates in addition to the one by principal components
	lloydSteps = 8
	fewSteps   = 5 // for large groups, in which a sum takes long
)

// start returns the candidates with the given parameters, or with those of the best clustering
// for each number of components: uniform weights, and means and precisions by Eqs. (15) and
// (16).
func (s *starter) start(ctx context.Context) ([]*candidate, error) {
	if err := s.common(ctx); err != nil {
		return nil, err
	}
	s.blur.Scale(s.deviations(), true)
	s.running = collabdict.Running{Key: statisticsKey}
	var live []*candidate
	if s.known != nil {
		if err := s.count(s.known.Count); err != nil {
			return nil, err
		}
		live = s.config.candidates(s.total)
		s.running = begin(s.known, live, s.rows.Dim)
		s.choosing.normal = newReference(oneComponent(s.known))
	} else {
		live = s.config.candidates(0)
	}
	for _, c := range live {
		c.same = columnstats.NewSameRows(s.carrier, s.limits.Bounds, s.known, c.components)
		if s.config.Missing {
			c.same.CountsOnly()
		}
	}
	if s.config.Init != nil {
		m, err := s.config.Init.Mixture()
		for _, c := range live {
			c.model = m
			if c.prior.relative != nil && err == nil {
				c.prior.relative.variances = spread(m)
			}
		}
		return live, err
	}
	all := newWhole(oneComponent(s.known))
	var sizes []int
	for _, c := range live {
		if !slices.Contains(sizes, c.components) {
			sizes = append(sizes, c.components)
		}
	}
	steps := lloydSteps
	if !columnstats.Publishes(s.group) {
		steps = fewSteps
	}
	first, err := s.pcaPart(ctx, all, sizes)
	if err != nil {
		return nil, fmt.Errorf("start by principal components: %w", err)
	}
	of := make([][]*clustering, len(sizes))
	for i, k := range sizes {
		of[i] = []*clustering{newClustering(first[k], all)}
		rng := rand.New(rand.NewPCG(s.config.Seed, uint64(s.rows.Dim)))
		for range draws / len(sizes) {
			of[i] = append(of[i], newClustering(gaussianCentres(all, k, rng), all))
		}
	}
	clusterings, err := s.lloyd(ctx, all, of, steps)
	if err != nil {
		return nil, fmt.Errorf("start by clustering: %w", err)
	}
	return live, s.firstModels(ctx, live, clusterings, all)
}

// The running totals of the steps of clustering, and of the rounds.
const (
	clustersKey   = "clusters"
	statisticsKey = "statistics"
)

// common agrees on bounds and on the moments of all participants' rows. They are not needed if
// the start is given.
func (s *starter) common(ctx context.Context) error {
	if s.known = s.config.Moments; s.known != nil {
		s.limits = limitsOf(s.known.Bounds, s.config)
		return nil
	}
	agreed, err := columnstats.Agree(ctx, s.group, s.rows.Rows)
	if err != nil {
		return err
	}
	s.limits = limitsOf(agreed, s.config)
	if s.config.Init != nil {
		return nil
	}
	if s.known, err = columnstats.SumMoments(ctx, s.group, s.rows.Rows, agreed); err != nil {
		return fmt.Errorf("sum of the moments: %w", err)
	}
	return nil
}

// deviations returns the standard deviation of each column over the rows of all participants,
// or its bound if it is not known.
func (s *starter) deviations() []float64 {
	if s.known == nil {
		return s.limits.RMS
	}
	all := oneComponent(s.known)
	out := make([]float64, all.Dim)
	spread := all.Spread(0)
	for i := range out {
		out[i] = math.Sqrt(math.Max(0, spread.At(i, i)) / math.Max(all.N[0], 1))
	}
	return out
}

// vector returns the next number for a vector of the start, distinct from those of the rounds.
func (s *starter) vector() uint64 {
	s.vectors++
	return 1<<63 | s.vectors
}

// oneComponent returns the moments of all rows as those of a single component.
func oneComponent(all *columnstats.Moments) *passes.Moments {
	return &passes.Moments{K: 1, Dim: len(all.Sums), Full: true, N: []float64{all.Count}, First: all.Sums, Second: all.Products}
}

// count sets N from a sum over all participants' rows.
func (l *Learner) count(n float64) error {
	l.total = int(math.Round(n))
	if k := l.config.least(); k > l.total {
		return &ComponentsError{Components: k, Rows: l.total}
	}
	return nil
}

// firstModels makes one M-step of each candidate with the responsibilities of the clustering of
// its size. A component with less than one row stays at its centre, with the precision that
// fits all rows.
func (s *starter) firstModels(ctx context.Context, live []*candidate, of map[int]*clustering, all *whole) error {
	var x []float64
	for _, c := range live {
		own, err := of[c.components].moments(s.rows, s.config.Diversity)
		if err != nil {
			return err
		}
		// The objective counts a member that is lost from now on with the smallest possible
		// entropy of its rows, so it does not fall when the member comes back.
		least := -(float64(s.rows.N) + c.prior.floor()*float64(c.components)) * math.Log(float64(c.components))
		least -= float64(c.components) * s.sparse(c.components).price
		if s.partial != nil {
			least -= s.limits.cells()
		}
		x = append(append(x, own.Pack()...), least)
	}
	starts, length := layout(live, s.rows.Dim)
	x = append(x, make([]float64, length-len(x))...)
	blocks := s.limits.all(live)
	s.blur.Add(x, blocks, s.vector(), true)
	total, err := s.group.Accumulate(ctx, s.running, x, blocks)
	if err != nil {
		return fmt.Errorf("sum of the first components: %w", err)
	}
	for i, c := range live {
		part := total[starts[i] : starts[i]+c.len(s.rows.Dim)-1]
		if err := c.same.Check(part, s.limits.statistics(c.components)); err != nil {
			return fmt.Errorf("first components: %w", err)
		}
		if err := c.first(passes.Unpack(part, c.components, s.rows.Dim, true), of[c.components].centres, all); err != nil {
			return err
		}
	}
	return nil
}

// first is the M-step of a candidate without a model yet.
func (c *candidate) first(sums *passes.Moments, centres *mat.Dense, all *whole) error {
	k, dim := centres.Dims()
	if c.prior.relative != nil {
		c.prior = c.prior.withVariances(pooledVariances(sums))
	}
	second := make([]float64, dim*dim)
	floats.ScaleTo(second, 1/float64(k), all.Second)
	first := make([]float64, dim)
	floats.ScaleTo(first, 1/float64(k), all.First)
	common, err := c.prior.optimise(math.Max(minRows, all.N[0]/float64(k)), first, second, nil)
	if err != nil {
		return fmt.Errorf("first precision: %w", err)
	}
	weights, precisions := make([]float64, k), make([]*mat.SymDense, k)
	for i := range k {
		weights[i], precisions[i] = 1/float64(k), common.precision
	}
	fallback, err := gmm.NewMixture(weights, centres, precisions)
	if err != nil {
		return fmt.Errorf("first parameters: %w", err)
	}
	c.model, _, err = c.prior.step(fallback, sums, weights)
	return err
}

// gaussianCentres draws k centres from the normal distribution with the mean and the covariance
// of all rows.
func gaussianCentres(all *whole, k int, rng *rand.Rand) *mat.Dense {
	cov := all.Spread(0)
	cov.ScaleSym(1/math.Max(all.N[0], 1), cov)
	values, vectors := eigen(cov)
	centres := mat.NewDense(k, all.Dim, nil)
	for i := range k {
		centre := centres.RawRowView(i)
		for j, v := range values {
			z := math.Sqrt(math.Max(0, v)) * rng.NormFloat64()
			for at, axis := range vectors.RawRowView(j) {
				centre[at] += float64(z * axis)
			}
		}
		for at, mean := range all.Mean(0) {
			centre[at] += mean
		}
	}
	return centres
}

// eigen returns the eigenvalues, ascending, and the eigenvectors as rows. All members get the
// same bits.
func eigen(s *mat.SymDense) ([]float64, *mat.Dense) {
	dim := s.SymmetricDim()
	values, vectors, ok := portable.Eigen(mat.DenseCopyOf(s).RawMatrix().Data, dim)
	if !ok {
		// Without convergence, use the axes as directions.
		values, vectors = make([]float64, dim), make([]float64, dim*dim)
		for i := range dim {
			values[i], vectors[i*dim+i] = s.At(i, i), 1
		}
	}
	return values, mat.NewDense(dim, dim, vectors)
}
