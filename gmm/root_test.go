package gmm

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestInvertRoot(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 40; n += 1 + n/8 {
		x := mat.NewDense(2*n, n, nil)
		x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
		var cov mat.SymDense
		cov.SymOuterK(1, x.T())
		a := make([]float64, n*n)
		for i := range n {
			for j := i; j < n; j++ {
				a[i*n+j] = cov.At(i, j)
			}
		}
		logDet, ok := invertRoot(a, n, make([]float64, n))
		if !ok {
			t.Fatalf("n=%d: not positive definite", n)
		}
		if want, _ := mat.LogDet(&cov); math.Abs(logDet-want) > 1e-10*float64(n) {
			t.Errorf("n=%d: ln|Σ| is %v, want %v", n, logDet, want)
		}
		// U Σ Uᵀ is the identity, and U is upper triangular.
		u := mat.NewDense(n, n, a)
		var left mat.Dense
		left.Product(u, &cov, u.T())
		for i := range n {
			for j := range n {
				want := 0.0
				if i == j {
					want = 1
				}
				if math.Abs(left.At(i, j)-want) > 1e-9 || j < i && a[i*n+j] != 0 {
					t.Fatalf("n=%d: element %d,%d of UΣUᵀ is %v, of U %v", n, i, j, left.At(i, j), a[i*n+j])
				}
			}
		}
	}
}

func TestInvertRootOfSingularMatrices(t *testing.T) {
	for what, a := range map[string][]float64{
		"indefinite":    {1, 2, 0, 1},
		"singular":      {1, 1, 0, 1},
		"but rounding":  {1e10, 1e10 - 1e-6, 0, 1e10},
		"zero":          {0, 0, 0, 1},
		"no number":     {1, math.NaN(), 0, 1},
		"infinite":      {math.Inf(1), 0, 0, 1},
		"last infinite": {1, 0, 0, math.Inf(1)},
	} {
		if _, ok := invertRoot(a, 2, make([]float64, 2)); ok {
			t.Errorf("%s: %v taken for positive definite", what, a)
		}
	}
}
