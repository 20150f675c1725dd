package fedgen_test

import (
	"context"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/mixtures/fedgen"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
)

// After a few rounds of exact sums, the mixture of one round is as good as one of all rows in one
// place.
func TestRefinedByDEM(t *testing.T) {
	parts, all := clients(t)
	c := config(8)
	c.Seed = seed(3)
	choices, best, err := fedgen.Select(all, c.Global, c.EM, c.Seed)
	if err != nil {
		t.Fatal(err)
	}
	learners := make([]*em.Learner, len(parts))
	var trace []float64
	grouptest.Together(t, len(parts), func(g collabdict.Group, s int) (err error) {
		learners[s], err = em.NewLearner(gmm.Matrix(parts[s]), em.Config{Plain: &em.Plain{
			Mixture: func(ctx context.Context, g collabdict.Group) (*gmm.Mixture, error) {
				r, err := fedgen.Learn(ctx, g, parts[s], c)
				if err != nil {
					return nil, err
				}
				return r.Mixture, nil
			},
		}})
		if err != nil {
			return err
		}
		_, err = collabdict.Train(t.Context(), g, learners[s], collabdict.Options{Rounds: 5, OnRound: func(r collabdict.Round) {
			if s == 0 {
				trace = append(trace, r.Objective)
			}
		}})
		return err
	})
	trace = append(trace, meanLogLik(t, learners[0].Model(), all))
	t.Logf("mean log-likelihood after 0 to 5 rounds: %.4f; pooled %.4f", trace, choices[best].MeanLogLik)
	for i := 1; i < len(trace); i++ {
		if trace[i] < trace[i-1]-1e-6 {
			t.Errorf("round %d: mean log-likelihood %.5f, %.5f before", i, trace[i], trace[i-1])
		}
	}
	if last := trace[len(trace)-1]; last < choices[best].MeanLogLik-0.01 {
		t.Errorf("mean log-likelihood %.4f, want the %.4f of all rows in one place", last, choices[best].MeanLogLik)
	}
}
