package ggm

import (
	"context"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/mixtures/dpem"
	"github.com/collabdict/collabdict/internal/mixtures/em"
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
	out, of, err := dpem.Learn(ctx, g, d, &a.Budget, a.config(), after)
	if of == nil {
		return out, err
	}
	m, variances, fault := em.Sparse(of.Rows, of.Means, of.Covariances, a.Lambda0, a.privateLambda())
	if fault == nil {
		m, fault = m.Reweighted(d.Rows, em.OwnRows)
	}
	if fault != nil {
		return algorithm.Outcome{}, fault
	}
	out.Model, out.PriorVariances = a.scoring(m.WithRows(of.Rows)), variances
	out.Used = map[string]any{"lambda": a.privateLambda()}
	return out, err
}
