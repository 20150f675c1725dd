package ggm

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/privacy/release"
)

// lossOf returns the loss of a release of a mixture of diagonal precisions.
func lossOf(t *testing.T, a *Algorithm, rows []float64, diagonals [][]float64, variances []float64, radius float64) release.Loss {
	t.Helper()
	k, dim := len(rows), len(diagonals[0])
	var precisions []*mat.SymDense
	weights := make([]float64, k)
	for i, d := range diagonals {
		p := mat.NewSymDense(dim, nil)
		for j, v := range d {
			p.SetSym(j, j, v)
		}
		precisions, weights[i] = append(precisions, p), 1/float64(k)
	}
	m, err := gmm.NewMixture(weights, mat.NewDense(k, dim, nil), precisions)
	if err != nil {
		t.Fatal(err)
	}
	p, err := a.Posterior(m.WithRows(rows), variances)
	if err != nil {
		t.Fatal(err)
	}
	return p.Loss(radius)
}

// The loss of three models by hand.
func TestLossByHand(t *testing.T) {
	for name, c := range map[string]struct {
		a                 *Algorithm
		rows              []float64
		diagonals         [][]float64
		variances         []float64
		radius            float64
		precisions, prior float64
	}{
		// R²/2 · 2/(1 + 9), and M R²/(2ρ) · (9 + 1)/(9 + 1).
		"one component": {&Algorithm{Lambda0: 1, Rho: 5}, []float64{9}, [][]float64{{2}}, nil, 3, 0.9, 0.9},
		// The second component decides the first bound: 4/2 · max(3/102, 2/42). The first one
		// decides the other: 2·4/(2·10) · max(101/102, 41/42). The third has less than one row.
		"three components": {&Algorithm{Lambda0: 2, Rho: 10}, []float64{100, 40, 0.5}, [][]float64{{3, 1}, {2, 2}, {99, 99}}, nil, 2, 4.0 / 42, 0.4 * 101 / 102},
		// 1/2 · 4/(1 + 60), and 1/2 · 2·(60 + 10)/(10 · 0.25)/(1 + 60).
		"relative": {&Algorithm{Lambda0: 1}, []float64{60}, [][]float64{{4, 0.5}}, []float64{0.25, 2}, 1, 2.0 / 61, 28.0 / 61},
	} {
		got := lossOf(t, c.a, c.rows, c.diagonals, c.variances, c.radius)
		if math.Abs(float64(got.Precisions)-c.precisions) > 1e-12 || math.Abs(float64(got.Prior)-c.prior) > 1e-12 {
			t.Errorf("%s: %.15g and %.15g, want %.15g and %.15g", name, got.Precisions, got.Prior, c.precisions, c.prior)
		}
	}
}

// A larger penalty reveals less about a row in models that were learned with it. More prior rows
// reveal less for a given model; another weight of the prior mean may also change the model.
func TestLossFallsWithThePrior(t *testing.T) {
	x := mat.NewDense(60, 3, nil)
	rng := rand.New(rand.NewPCG(5, 1))
	x.Apply(func(i, _ int, _ float64) float64 { return 4*float64(i%2) + rng.NormFloat64() }, x)
	none := release.Loss{Precisions: privacy.ZCDP(math.Inf(1)), Prior: privacy.ZCDP(math.Inf(1))}
	last := none
	for _, rho := range []float64{0.1, 1, 10, 100} {
		l, err := em.NewLearner(gmm.Matrix(x), em.Config{Components: 2, Rho: rho})
		if err == nil {
			_, err = collabdict.Train(t.Context(), collabdict.Solo{}, l, collabdict.Options{Rounds: 5})
		}
		if err != nil {
			t.Fatal(err)
		}
		m, err := l.Written()
		if err != nil {
			t.Fatal(err)
		}
		before := none
		for _, lambda0 := range []float64{0.1, 1, 10, 100} {
			p, err := (&Algorithm{Lambda0: lambda0, Rho: rho}).Posterior(m, nil)
			if err != nil {
				t.Fatal(err)
			}
			l := p.Loss(2)
			if !(0 < l.Precisions && l.Precisions <= l.Prior) || l.Precisions >= before.Precisions || l.Prior >= before.Prior {
				t.Errorf("λ₀ %g, ρ %g: %+v after %+v", p.Lambda0, rho, l, before)
			}
			before = l
		}
		p, err := (&Algorithm{Lambda0: 1, Rho: rho}).Posterior(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		loss := p.Loss(2)
		if loss.Precisions >= last.Precisions || loss.Prior >= last.Prior {
			t.Errorf("ρ %g: %+v after %+v", rho, loss, last)
		}
		last = loss
	}
}

// A mixture whose rows or prior are not known is not released.
func TestNoPosteriorWithoutRowsAndPrior(t *testing.T) {
	m, err := gmm.NewMixture([]float64{1}, mat.NewDense(1, 1, nil), []*mat.SymDense{mat.NewSymDense(1, []float64{1})})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ rows, variances []float64 }{
		{[]float64{5}, nil},
		{[]float64{5}, []float64{1, 1}},
		{[]float64{5}, []float64{0}},
		{[]float64{0.5}, []float64{1}},
		{nil, []float64{1}},
		{[]float64{math.NaN()}, []float64{1}},
		{[]float64{math.Inf(1)}, []float64{1}},
		{[]float64{5}, []float64{math.NaN()}},
	} {
		if p, err := new(Algorithm).Posterior(m.WithRows(c.rows), c.variances); err == nil {
			t.Errorf("%+v: got %+v", c, p)
		}
	}
}
