package dem

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
	"github.com/collabdict/collabdict/internal/mixtures/dpem"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/option"
)

func (a *Algorithm) private() bool { return a.Epsilon > 0 }

func (a *Algorithm) preparePrivate(c algorithm.Coordinates) error {
	switch {
	case a.Covariance == gmm.Spherical.String():
		return option.Errorf("covariance", "want %s or %s with --epsilon, got %s", gmm.Diag, gmm.Full, a.Covariance)
	case a.Start != startSpread:
		return option.Errorf("start", "want %s with --epsilon, because the noise does not cover other starts, got %s", startSpread, a.Start)
	}
	return dpem.Check(&a.Budget, a.config(), c, a.Blur, a.Diversity)
}

// config returns the settings of the rounds. Both packages use the same names of forms.
func (a *Algorithm) config() dpem.Config {
	return dpem.Config{Components: a.Components, Form: a.Covariance, Middle: a.Middle(), Clip: a.Clip, Loss: a.TotalsLoss(), Rounds: a.Rounds}
}

// alone returns the algorithm for a participant that learns alone and therefore hides nothing.
func (a *Algorithm) alone() *Algorithm {
	own := *a
	own.Epsilon, own.Rounds = 0, 100
	return &own
}

func (a *Algorithm) trainPrivate(ctx context.Context, g collabdict.Group, d algorithm.Data, after func(algorithm.Progress)) (algorithm.Outcome, error) {
	out, of, err := dpem.Learn(ctx, g, d, &a.Budget, a.config(), after)
	if of == nil {
		return out, err
	}
	m, fault := a.mixture(of)
	if fault != nil {
		return algorithm.Outcome{}, fault
	}
	out.Model = m.WithRows(of.Rows)
	return out, err
}

// mixture returns the mixture that the totals estimate, with the weights of all participants.
func (a *Algorithm) mixture(of *dpem.Mixture) (*gmm.Mixture, error) {
	k, dim := of.Means.Dims()
	weights, total := make([]float64, k), passes.Sum(of.Rows)
	precisions, diagonals := make([]*mat.SymDense, k), mat.NewDense(k, dim, nil)
	for i, n := range of.Rows {
		weights[i] = n / total
		covariance := of.Covariances[i]
		for j := range dim {
			v := covariance.At(j, j) + em.RegCovar
			covariance.SetSym(j, j, v)
			diagonals.Set(i, j, 1/v)
		}
		root, ok := lapack.Factorise(covariance)
		if !ok {
			return nil, fmt.Errorf("component %d of %d: the covariance matrix is not positive definite", i+1, k)
		}
		precisions[i] = root.Inverse()
	}
	if a.Covariance == gmm.Diag.String() {
		return gmm.NewDiagMixture(gmm.Diag, weights, of.Means, diagonals)
	}
	return gmm.NewMixture(weights, of.Means, precisions)
}
