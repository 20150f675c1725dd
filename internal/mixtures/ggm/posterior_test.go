package ggm

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/privacy/release"
)

// No eigenvalue of a solution exceeds the bound, in either form: for few rows and many, for
// columns in other units and columns that hardly vary. Rows that are all the same nearly reach
// it.
func TestBoundOfPrecisions(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	nearest := 0.0
	for trial := range 120 {
		dim, n := 1+rng.IntN(6), 1+rng.IntN(40)
		spread := math.Exp(3 * rng.NormFloat64())
		if trial%10 == 0 {
			spread = 0
		}
		first, second := make([]float64, dim), make([]float64, dim*dim)
		mix := mat.NewDense(dim, dim, nil)
		mix.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, mix)
		for range n {
			z, x := mat.NewVecDense(dim, nil), mat.NewVecDense(dim, nil)
			for i := range dim {
				z.SetVec(i, spread*rng.NormFloat64())
			}
			x.MulVec(mix, z)
			for i := range dim {
				first[i] += x.AtVec(i)
				for j := i; j < dim; j++ {
					second[i*dim+j] += x.AtVec(i) * x.AtVec(j)
				}
			}
		}
		w := make([]float64, dim)
		for i := range w {
			w[i] = math.Exp(2 * rng.NormFloat64())
		}
		for name, p := range map[string]prior{
			"rho":      {lambda0: 1, rho: math.Exp(2 * rng.NormFloat64())},
			"relative": {lambda0: 1, relative: &relative{lambda: math.Exp(2*rng.NormFloat64() - 2), variances: w}},
		} {
			c, err := p.optimise(float64(n), first, second, nil)
			if err != nil || c.stalled != nil {
				t.Fatalf("%s, trial %d: %v, %v", name, trial, err, c.stalled)
			}
			var e mat.EigenSym
			e.Factorize(c.precision, false)
			largest, bound := e.Values(nil)[dim-1], p.bound(float64(n), dim)
			if largest > bound*(1+1e-6) {
				t.Errorf("%s, trial %d: ‖Λ‖₂ is %g of %d rows and %d columns, above %g", name, trial, largest, n, dim, bound)
			}
			if spread == 0 && dim == 1 {
				nearest = math.Max(nearest, largest/bound)
			}
		}
	}
	if nearest < 0.99 {
		t.Errorf("the bound is reached up to %g of it, want all", nearest)
	}
}

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
		// 1/2 · 4/(1 + 60), and 1/2 · 2·(60 + 20)/(20 · 0.25)/(1 + 60).
		"relative": {&Algorithm{Lambda0: 1}, []float64{60}, [][]float64{{4, 0.5}}, []float64{0.25, 2}, 1, 2.0 / 61, 16.0 / 61},
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
		learners, _ := train(t, Config{Components: 2, Rho: rho}, 5, x)
		m, err := learners[0].Written()
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
		l := p.Loss(2)
		if l.Precisions >= last.Precisions || l.Prior >= last.Prior {
			t.Errorf("ρ %g: %+v after %+v", rho, l, last)
		}
		last = l
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
