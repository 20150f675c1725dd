package ggm

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/dpem"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/option"
)

const privateComponents = 10

// privateLambda returns the penalty with differential privacy. Its default is small, because
// the effect of the noise on the precision matrices has already been removed.
func (a *Algorithm) privateLambda() float64 {
	if a.Lambda > 0 {
		return a.Lambda
	}
	return 0.003
}

func (a *Algorithm) private() bool { return a.Epsilon > 0 }

func (a *Algorithm) preparePrivate(c algorithm.Coordinates) error {
	const told = "with --epsilon, because the noise covers only what follows from the totals, got "
	switch {
	case a.MostComponents > 0 || a.Components == 0:
		return option.Errorf("components", "want a number "+told+"several to choose from")
	case a.Rho > 0 || a.start != nil:
		return option.Errorf("epsilon", "cannot be combined with --rho or --init: leave it or them out")
	case a.Sparse > 0:
		return option.Errorf("sparse-weights", "want 0 with --epsilon, got %g", a.Sparse)
	}
	return dpem.Check(&a.Budget, a.config(), c, a.Blur, a.Diversity)
}

func (a *Algorithm) config() dpem.Config {
	return dpem.Config{Components: a.Components, Form: a.Covariance, Middle: a.Middle(), Clip: a.Clip, Loss: a.TotalsLoss(), Rounds: a.Rounds}
}

// alone returns the algorithm for a participant that learns alone. It hides nothing and chooses
// settings by its own rows.
func (a *Algorithm) alone() *Algorithm {
	own := *a
	own.Epsilon, own.Components, own.Rounds = 0, 0, 100
	return &own
}

// trainPrivate trains from differentially private totals. At the end it fits the weights to the
// own rows; no other member sees them.
func (a *Algorithm) trainPrivate(ctx context.Context, g collabdict.Group, d algorithm.Data, after func(algorithm.Progress)) (algorithm.Outcome, error) {
	out, of, err := dpem.Train(ctx, g, d, &a.Budget, a.config(), after)
	if of == nil {
		return out, err
	}
	m, variances, fault := a.sparse(of)
	if fault == nil {
		m, fault = m.Reweighted(d.Rows, ownRows)
	}
	if fault != nil {
		return algorithm.Outcome{}, fault
	}
	out.Model, out.PriorVariances = a.scoring(m.WithRows(of.Rows)), variances
	out.Used = map[string]any{"lambda": a.privateLambda()}
	return out, err
}

// sparse returns the mixture with the precision matrices of the graphical lasso, and the
// variances within components that scale its prior.
func (a *Algorithm) sparse(of *dpem.Mixture) (*gmm.Mixture, []float64, error) {
	k, dim := of.Means.Dims()
	s := passes.NewMoments(k, dim, true)
	weights, round := make([]float64, k), make([]*mat.SymDense, k)
	total := passes.Sum(of.Rows)
	for i, n := range of.Rows {
		weights[i], s.N[i], round[i] = n/total, n, mat.NewSymDense(dim, nil)
		mean := of.Means.RawRowView(i)
		for x, v := range mean {
			round[i].SetSym(x, x, 1)
			s.First[i*dim+x] = float64(n * v)
			for y := x; y < dim; y++ {
				s.Second[(i*dim+x)*dim+y] = float64(n * (of.Covariances[i].At(x, y) + float64(v*mean[y])))
			}
		}
	}
	first, err := gmm.NewMixture(weights, of.Means, round)
	if err != nil {
		return nil, nil, err
	}
	p := prior{lambda0: a.Lambda0, relative: &relative{lambda: a.privateLambda(), variances: pooledVariances(s)}, blurred: true}
	m, _, err := p.step(first, s, weights)
	return m, p.relative.variances, err
}
