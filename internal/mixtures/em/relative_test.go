package em

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Columns whose squares almost underflow have a start, and scales that can be inverted.
func TestTinyValues(t *testing.T) {
	for _, tiny := range []float64{1e-60, 1e-75, 1e-100, 1e-155, 1e-162, 5e-324} {
		x := mat.NewDense(8, 2, nil)
		for i := range 8 {
			x.SetRow(i, []float64{float64(i % 3), float64(i%5) * tiny})
		}
		learners, _ := train(t, Config{Components: 2}, 3, x)
		for k := range 2 {
			for _, v := range mat.DenseCopyOf(learners[0].Model().Precision(k)).RawMatrix().Data {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("values of %g: precision %g", tiny, v)
				}
			}
		}
	}
}

// A column that hardly varies in one of two patterns is not narrow there. Correlated columns stay narrow
// across their common direction.
func TestNoColumnOfAComponentIsNarrow(t *testing.T) {
	x, rng := mat.NewDense(400, 3, nil), rand.New(rand.NewPCG(3, 1))
	for i := range 400 {
		pattern, z := float64(i%2), rng.NormFloat64()
		x.SetRow(i, []float64{6*pattern - 3 + z, z + 0.1*rng.NormFloat64(), pattern * rng.NormFloat64()})
	}
	learners, _ := train(t, Config{Components: 2, Lambda: 0.003}, 20, x)
	m, err := learners[0].Written()
	if err != nil {
		t.Fatal(err)
	}
	least := 0.5 * learners[0].PriorVariances()[2]
	for k := range 2 {
		c := m.Covariance(k)
		if v := c.At(2, 2); v < least {
			t.Errorf("component %d: the column has the variance %g, want at least %g", k+1, v, least)
		}
		var e mat.EigenSym
		e.Factorize(c.SliceSym(0, 2), false)
		if across := e.Values(nil)[0]; across > 0.1 {
			t.Errorf("component %d: across the other columns, the variance is %g, want at most 0.1", k+1, across)
		}
	}
}

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
			largest, bound := e.Values(nil)[dim-1], PrecisionBound(float64(n), dim, p.rho, w)
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
