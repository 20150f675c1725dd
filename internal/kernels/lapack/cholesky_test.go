package lapack

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

func TestCholesky(t *testing.T) {
	for _, n := range orders {
		raw, _ := definite(blas.Upper, n, 0)
		a := mat.NewSymDense(n, raw)
		c, ok := Factorise(a)
		var want mat.Cholesky
		if !ok || !want.Factorize(a) {
			t.Fatalf("%d: want a positive definite matrix", n)
		}
		if got := c.LogDet(); math.Abs(got-want.LogDet()) > 1e-12*max(1, math.Abs(got)) {
			t.Errorf("%d: ln|A| is %g, want %g", n, got, want.LogDet())
		}
		x, b := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		for i := range n {
			x.SetVec(i, float64(i%3-1))
		}
		b.MulVec(a, x)
		c.Solve(b.RawVector().Data)
		near(t, "a solution", b.RawVector().Data, x.RawVector().Data)
		var unit mat.Dense
		unit.Mul(c.Inverse(), a)
		for i := range n {
			for j := range n {
				if want := float64(1 - min(1, (i-j)*(i-j))); math.Abs(unit.At(i, j)-want) > 1e-11 {
					t.Fatalf("%d: element %d, %d of A⁻¹A is %g", n, i, j, unit.At(i, j))
				}
			}
		}
		if u := c.U(); n > 1 && u[n] != 0 {
			t.Errorf("%d: below the diagonal there is %g", n, u[n])
		}
	}
	if _, ok := Factorise(mat.NewSymDense(2, []float64{1, 2, 2, 1})); ok {
		t.Error("a matrix with an eigenvalue below 0 is factorised")
	}
}
