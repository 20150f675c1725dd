package fedgem

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/testkit/audittest"
)

// TestAuditOfSteps audits all EM steps of a run with --epsilon. The attacker sees each step,
// and derives the noisy sums from the mixtures. The statistic is the likelihood ratio of these
// sums. The extra row of one neighbour is as far out as possible, and all of it is in the one
// component. Half the noise fails the audit.
func TestAuditOfSteps(t *testing.T) {
	const rows = 60
	a := Kind.New().(*Algorithm)
	if err := a.Options().Complete(); err != nil {
		t.Fatal(err)
	}
	a.Components, a.Rounds, a.Epsilon, a.Delta, a.Clip = 1, 2, 1, 0.1, 1
	with := mat.NewDense(rows+1, 1, nil)
	for i := range rows {
		with.Set(i, 0, float64(i%2*2-1))
	}
	with.Set(rows, 0, 1)
	without := with.Slice(0, rows, 0, 1).(*mat.Dense)
	c, err := a.config(t.Context(), collabdict.Solo{}, with, algorithm.Data{Source: rand.NewPCG(1, 1)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if c.Noise.Loss != a.Loss() || c.Noise.Radius != 1 {
		t.Errorf("got a loss of %g and a radius of %g, want %g and 1", c.Noise.Loss, c.Noise.Radius, a.Loss())
	}
	c.BurnIn = 1 // in place of 10: all steps together have the same loss
	c = c.withDefaults()
	start, err := gmm.NewDiagMixture(gmm.Spherical, []float64{1}, mat.NewDense(1, 1, nil), mat.NewDense(1, 1, []float64{1}))
	if err != nil {
		t.Fatal(err)
	}
	draw := func(sd float64, x *mat.Dense) func(rand.Source) float64 {
		return func(src rand.Source) (ratio float64) {
			n, m := *c.Noise, start
			n.Source = src
			for range c.BurnIn + c.Rounds*c.LocalSteps + 1 {
				next, count, err := n.step(m, x, sd)
				if err != nil {
					t.Fatal(err)
				}
				mean := next.Means().At(0, 0)
				ratio += count + count*mean + count*(1/next.Precision(0).At(0, 0)+mean*mean)
				m = next
			}
			return ratio
		}
	}
	run := func(sd float64) float64 {
		return audittest.Run(t, draw(sd, without), draw(sd, with)).Epsilon(a.Delta)
	}
	shown, less := run(c.deviation()), run(c.deviation()/2)
	t.Logf("at δ = %g, ε is at least %.3f, promised %g; with half the noise, %.3f", a.Delta, shown, a.Epsilon, less)
	if shown > a.Epsilon || shown < 0.5*a.Epsilon {
		t.Errorf("ε is at least %g, promised %g", shown, a.Epsilon)
	}
	if less <= a.Epsilon {
		t.Errorf("half the noise passes: ε is at least %g, promised %g", less, a.Epsilon)
	}
}
