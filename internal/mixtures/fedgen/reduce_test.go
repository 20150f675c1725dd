package fedgen_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/fedgen"
)

// Whatever is merged, the weight, mean and covariance of the whole stay the same, and the cost
// bounds the divergence.
func TestReduceKeepsTheMoments(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k, dim := rapid.IntRange(2, 9).Draw(rt, "components"), rapid.IntRange(1, 3).Draw(rt, "columns")
		form := rapid.SampledFrom(forms).Draw(rt, "form")
		m := contribution(t, form, k, dim, rapid.Uint64Max(1000).Draw(rt, "mixture")).Moments
		left := rapid.IntRange(1, k).Draw(rt, "left")
		got, cost, err := m.Reduce(left)
		if err != nil {
			rt.Fatal(err)
		}
		if len(got.Weights) != left || cost < -1e-12 || (left < k) != (cost > 0) {
			rt.Fatalf("%d components at a cost of %g, want %d", len(got.Weights), cost, left)
		}
		near(rt, "weights", floats.Sum(got.Weights), 1, 1e-12)
		mean, cov := meanAndCovariance(m)
		gotMean, gotCov := meanAndCovariance(got)
		for i := range mean {
			near(rt, "mean", gotMean[i], mean[i], 1e-12)
		}
		if form == gmm.Full {
			var difference mat.Dense
			difference.Sub(gotCov, cov)
			near(rt, "covariance", mat.Norm(&difference, 2), 0, 1e-10)
		}
		near(rt, "sum of the variances", mat.Trace(gotCov), mat.Trace(cov), 1e-10)
	})
}

// The divergence of a reduced mixture, measured on rows drawn from the original, is at most the
// returned cost, and hardly less if few components overlap.
func TestReduceCostBoundsTheDivergence(t *testing.T) {
	for _, form := range forms {
		m := contribution(t, form, 8, 3, 11).Moments
		before, err := m.Mixture()
		if err != nil {
			t.Fatal(err)
		}
		x, err := m.Sample(20000, rand.NewChaCha8(seed(1)))
		if err != nil {
			t.Fatal(err)
		}
		last := 0.0
		for k := 7; k >= 1; k-- {
			reduced, cost, err := m.Reduce(k)
			if err != nil {
				t.Fatal(err)
			}
			after, err := reduced.Mixture()
			if err != nil {
				t.Fatal(err)
			}
			divergence := meanLogLik(t, before, x) - meanLogLik(t, after, x)
			if divergence > cost+0.02 || cost < last {
				t.Errorf("%s, %d left: divergence %.4f at a cost of %.4f, %.4f before", form, k, divergence, cost, last)
			}
			last = cost
		}
	}
}

// Copies of the same components are merged first, at no cost.
func TestReduceFindsCopies(t *testing.T) {
	one := contribution(t, gmm.Full, 4, 3, 8)
	merged, _ := fedgen.Merge([]fedgen.Contribution{one, one, one})
	got, cost, err := merged.Reduce(4)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(cost) > 1e-12 {
		t.Errorf("copies cost %g, want 0", cost)
	}
	for k, mean := range got.Means {
		if !floats.EqualApprox(mean, one.Means[k], 1e-12) {
			t.Errorf("component %d is at %v, want %v", k+1, mean, one.Means[k])
		}
	}
	again, _, _ := merged.Reduce(4)
	if !reflect.DeepEqual(again, got) {
		t.Error("a second time it gives another mixture")
	}
}

func TestReduceTooFarApart(t *testing.T) {
	m := fedgen.Moments{
		Form: gmm.Full, Weights: []float64{0.5, 0.5},
		Means:       [][]float64{{0, 0}, {1e9, 1e9}},
		Covariances: [][]float64{{1, 0, 0, 1}, {1, 0, 0, 1}},
	}
	if _, _, err := m.Reduce(1); err == nil {
		t.Error("want an error for components whose common covariance is singular")
	}
}
