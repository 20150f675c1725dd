package lapack

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
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

func TestFactoriseRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		b := mat.NewDense(n, n, rapid.SliceOfN(rapid.Float64Range(-1, 1), n*n, n*n).Draw(t, "root"))
		s := mat.NewSymDense(n, nil)
		s.SymOuterK(1, b)
		for i := range n {
			s.SetSym(i, i, s.At(i, i)+0.1)
		}
		c, ok := FactoriseRows(mat.DenseCopyOf(s).RawMatrix().Data, n)
		if !ok {
			t.Fatal("want a positive definite matrix")
		}
		var product mat.Dense
		root := mat.NewDense(n, n, c.U())
		product.Mul(root.T(), root)
		if !mat.EqualApprox(&product, s, 1e-12) {
			t.Fatal("UᵀU is not the matrix")
		}
		product.Mul(c.Inverse(), s)
		for i := range n {
			product.Set(i, i, product.At(i, i)-1)
		}
		if got := mat.Norm(&product, 2); got > 1e-9 {
			t.Fatalf("A⁻¹A differs from the identity by %g", got)
		}
		logDet, _ := mat.LogDet(s)
		if got := c.LogDet(); math.Abs(got-logDet) > 1e-10 {
			t.Fatalf("ln|A| is %g, want %g", got, logDet)
		}
	})
	for name, a := range map[string][]float64{
		"singular":   {1, 1, 0, 1},
		"indefinite": {1, 2, 0, 1},
		"zero":       {0, 0, 0, 0},
		"not finite": {1, 0, 0, math.Inf(1)},
		"NaN":        {1, math.NaN(), 0, 1},
	} {
		if _, ok := FactoriseRows(a, 2); ok {
			t.Errorf("%s: counts as positive definite", name)
		}
	}
}
