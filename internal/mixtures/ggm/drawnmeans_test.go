package ggm

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/testkit/audittest"
)

// The means of a release show a row by no more than ε allows, to an attacker who knows all
// other rows, the precisions and the rows of each component. Runs without the row have a row at
// the cluster's middle in its place.
func TestMembershipInDrawnMeans(t *testing.T) {
	audittest.SkipRaced(t)
	const draws = 4000
	middle := []float64{2, 2, 2}
	known, variances := trained(t, with(background(0), middle), 0, em.Config{})
	start := &gmm.Parameters{Means: known.Means(), Weights: known.Weights()}
	for k := range known.Components() {
		start.Precisions = append(start.Precisions, known.Precision(k))
	}
	for _, target := range targets {
		learned, _ := trained(t, with(background(0), target.row), 0, em.Config{Init: start})
		radius := 0.0
		for i, v := range target.row {
			radius = math.Hypot(radius, v-middle[i])
		}
		statistics := func(means *mat.Dense, seed uint64) (out []float64) {
			p := posterior(t, known.WithMeans(means).WithRows(known.ComponentRows()), variances)
			for src := rand.NewPCG(seed, 1); len(out) < draws; {
				out = append(out, p.Draw(src).LogDensity(target.row))
			}
			return out
		}
		loss := posterior(t, known, variances).Loss(radius)
		found, bound := advantage(statistics(learned.Means(), 1), statistics(known.Means(), 2)), mostAdvantage(loss.Precisions)
		t.Logf("a release's means: a %s row is recognised with an advantage of %.2f, at most %.2f; ε is %.2f at δ = 1e-5", target.name, found, bound, loss.Precisions.Epsilon(1e-5))
		// four standard errors of the measurement
		if found > bound+4*math.Sqrt(0.5/draws) {
			t.Errorf("a %s row is recognised with an advantage of %g, at most %g by epsilon", target.name, found, bound)
		}
		if target.name == "far" && found < bound/4 {
			t.Errorf("a far row is recognised with an advantage of %g, at most %g by epsilon: the attack does not work", found, bound)
		}
	}
}

// mostAdvantage returns the upper bound of TPR − FPR of any test, (e^ε − 1 + 2δ)/(e^ε + 1), at
// the best δ (Kairouz et al. 2015).
func mostAdvantage(loss privacy.ZCDP) float64 {
	least := 1.0
	for delta := 1e-5; delta < 1; delta *= 1.02 {
		e := math.Exp(loss.Epsilon(delta))
		least = min(least, (e-1+2*delta)/(e+1))
	}
	return least
}
