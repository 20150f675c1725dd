package machines

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/em"
)

// The command's rules for when to stop.
const (
	mostRounds = 100
	tolerance  = 1e-6
)

// mixture learns the mixture of sparse Gaussian graphical models in a way, and scores.
func mixture(ctx context.Context, s *set, way string, components int, seed uint64) (o outcome, err error) {
	parts, err := s.rows(way)
	if err != nil {
		return o, err
	}
	data := trained(parts, way)
	config := em.Config{Components: components, Seed: seed, Shared: &em.Solutions{}}
	models := make([]*gmm.Mixture, len(data))
	err = train(ctx, way, len(data), func(ctx context.Context, g collabdict.Group, rank int) error {
		l, err := em.NewLearner(gmm.Matrix(data[rank]), config)
		if err != nil {
			return err
		}
		_, err = collabdict.Train(ctx, g, l, collabdict.Options{Rounds: mostRounds, Tol: tolerance})
		models[rank] = l.Model()
		return err
	})
	if err != nil {
		return o, err
	}
	for i, p := range parts {
		m := models[min(i, len(models)-1)]
		err := o.add(p, func(x *mat.Dense) (anomaly, logLik []float64, err error) {
			return m.Scores(nil, x), m.LogDensities(nil, x), nil
		})
		if err != nil {
			return o, err
		}
	}
	return o, nil
}
