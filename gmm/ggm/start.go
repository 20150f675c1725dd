package ggm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/internal/passes"
	"github.com/collabdict/collabdict/internal/columnstats"
	"github.com/collabdict/collabdict/internal/portable"
)

// starter finds the first parameters by sums alone: the best of several
// clusterings of all participants' rows, of which nobody sees one.
type starter struct {
	*Learner
	group collabdict.Group
	// carrier is the group itself, which knows whom totals have counted.
	carrier collabdict.Group
	known   *columnstats.Moments // of all rows
}

const (
	draws      = 8 // random candidates beside the one by principal components
	lloydSteps = 8
	fewSteps   = 5 // in large groups, where a sum takes long
)

// start returns the given parameters or those of the best clustering: uniform
// weights, and means and precisions by Eqs. (15) and (16).
func (s *starter) start(ctx context.Context) (*gmm.Mixture, error) {
	if err := s.common(ctx); err != nil {
		return nil, err
	}
	s.same = columnstats.NewSameRows(s.carrier, s.limits.Bounds, s.known, s.config.Components)
	s.running = collabdict.Running{Key: statisticsKey}
	if s.known != nil {
		if err := s.count(s.known.Count); err != nil {
			return nil, err
		}
		s.running = s.known.Running(statisticsKey, s.config.Components, nil, columnstats.AllProducts, 1)
	}
	if s.config.Init != nil {
		return s.config.Init.Mixture()
	}
	all := newWhole(oneComponent(s.known))
	var drawn []*clustering
	rng := rand.New(rand.NewPCG(s.config.Seed, uint64(s.rows.Dim)))
	for range draws {
		drawn = append(drawn, newClustering(gaussianCentres(all, s.config.Components, rng), all))
	}
	steps := lloydSteps
	if !columnstats.Publishes(s.group) {
		steps = fewSteps
	}
	first, err := s.pcaPart(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("start by principal components: %w", err)
	}
	best, err := s.lloyd(ctx, all, append([]*clustering{newClustering(first, all)}, drawn...), steps)
	if err != nil {
		return nil, fmt.Errorf("start by clustering: %w", err)
	}
	return s.firstModel(ctx, best, all)
}

// The running totals of the steps of clustering, and of the rounds.
const (
	clustersKey   = "clusters"
	statisticsKey = "statistics"
)

// common agrees on bounds, and on the moments of all participants' rows; where the start
// is given these are not needed.
func (s *starter) common(ctx context.Context) error {
	if s.known = s.config.Moments; s.known != nil {
		s.limits = limits{s.known.Bounds}
		return nil
	}
	agreed, err := columnstats.Agree(ctx, s.group, s.rows.Rows)
	if err != nil {
		return err
	}
	s.limits = limits{agreed}
	if s.config.Init != nil {
		return nil
	}
	if s.known, err = columnstats.SumMoments(ctx, s.group, s.rows.Rows, agreed); err != nil {
		return fmt.Errorf("sum of the moments: %w", err)
	}
	return nil
}

// oneComponent returns the moments of all rows as those of a single component.
func oneComponent(all *columnstats.Moments) *passes.Moments {
	return &passes.Moments{K: 1, Dim: len(all.Sums), Full: true, N: []float64{all.Count}, First: all.Sums, Second: all.Products}
}

// count takes N from a sum over all participants' rows.
func (l *Learner) count(n float64) error {
	l.total = int(math.Round(n))
	if k := l.config.Components; k > l.total {
		return &ComponentsError{Components: k, Rows: l.total}
	}
	l.prior = prior{lambda0: l.config.lambda0(), rho: l.config.Rho, shared: l.config.Shared}
	if l.prior.rho == 0 {
		l.prior.rho = 0.1 * float64(l.total) / float64(l.config.Components)
	}
	return nil
}

// firstModel is one M-step with the responsibilities of a clustering. A component with
// less than a row stays at its centre with the precision that fits all rows.
func (s *starter) firstModel(ctx context.Context, c *clustering, all *whole) (*gmm.Mixture, error) {
	k, dim := c.centres.Dims()
	own, err := c.moments(s.rows, nil, true)
	if err != nil {
		return nil, err
	}
	// A member that is lost from here on stays in the objective with the least entropy
	// that its rows can have: it does not fall when the member comes back.
	least := -float64(s.rows.N) * math.Log(float64(k))
	total, err := s.group.Accumulate(ctx, s.running, append(own.Pack(), least), s.limits.statistics(k))
	if err != nil {
		return nil, fmt.Errorf("sum of the first components: %w", err)
	}
	if err := s.same.Check(total, s.limits.statistics(k)); err != nil {
		return nil, fmt.Errorf("first components: %w", err)
	}
	second := make([]float64, dim*dim)
	floats.ScaleTo(second, 1/float64(k), all.Second)
	first := make([]float64, dim)
	floats.ScaleTo(first, 1/float64(k), all.First)
	common, err := s.prior.optimise(math.Max(minRows, all.N[0]/float64(k)), first, second, nil)
	if err != nil {
		return nil, fmt.Errorf("first precision: %w", err)
	}
	weights, precisions := make([]float64, k), make([]*mat.SymDense, k)
	for i := range k {
		weights[i], precisions[i] = 1/float64(k), common.precision
	}
	fallback, err := gmm.NewMixture(weights, c.centres, precisions)
	if err != nil {
		return nil, fmt.Errorf("first parameters: %w", err)
	}
	model, _, err := s.prior.step(fallback, passes.Unpack(total[:len(total)-1], k, dim, true), weights)
	return model, err
}

// gaussianCentres draws k centres from the normal distribution with the mean and
// the covariance of all rows.
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

// eigen returns the eigenvalues, ascending, and the eigenvectors as rows, with the
// same bits at all members.
func eigen(s *mat.SymDense) ([]float64, *mat.Dense) {
	dim := s.SymmetricDim()
	values, vectors, ok := portable.Eigen(mat.DenseCopyOf(s).RawMatrix().Data, dim)
	if !ok {
		// No convergence: the axes serve as directions just as well.
		values, vectors = make([]float64, dim), make([]float64, dim*dim)
		for i := range dim {
			values[i], vectors[i*dim+i] = s.At(i, i), 1
		}
	}
	return values, mat.NewDense(dim, dim, vectors)
}
