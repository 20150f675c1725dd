package lapack

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// A is V diag(values) Vᵀ with orthonormal rows and ascending values, whatever the matrix: with equal
// eigenvalues, zeros and far apart scales too.
func TestEigen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		a := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				v := rapid.SampledFrom([]float64{0, 0, 1, -1, 1e-8, 1e6, 0.3}).Draw(t, "entry")
				a[i*n+j], a[j*n+i] = v, v
			}
		}
		values, vectors, ok := Eigen(append([]float64(nil), a...), n)
		if !ok {
			t.Fatal("no convergence")
		}
		if !slices.IsSorted(values) {
			t.Fatalf("values %v, want them ascending", values)
		}
		scale := 1e-13 * (1 + floats.Norm(a, 2)) * float64(n)
		v := mat.NewDense(n, n, vectors)
		var back, gram mat.Dense
		back.Mul(v.T(), mat.NewDiagDense(n, values))
		back.Mul(&back, v)
		if !mat.EqualApprox(&back, mat.NewDense(n, n, a), scale) {
			t.Fatalf("%v came back as %v", a, back.RawMatrix().Data)
		}
		gram.Mul(v, v.T())
		for i := range n {
			gram.Set(i, i, gram.At(i, i)-1)
		}
		if mat.Norm(&gram, 2) > 1e-12 {
			t.Fatalf("vectors are not orthonormal: %g", mat.Norm(&gram, 2))
		}
	})
}

// A matrix of few rows has a null space, where eigenvalues are rounding alone.
func TestEigenOfANullSpace(t *testing.T) {
	const n, rank = 150, 40
	rng := rand.New(rand.NewPCG(5, 6))
	x := mat.NewDense(rank, n, nil)
	for i := range rank {
		for j := range n - 3 { // the last columns are zero
			x.Set(i, j, 100*rng.NormFloat64()*float64(j%7))
		}
	}
	var a mat.Dense
	a.Mul(x.T(), x)
	values, vectors, ok := Eigen(mat.DenseCopyOf(&a).RawMatrix().Data, n)
	if !ok {
		t.Fatal("no convergence")
	}
	v := mat.NewDense(n, n, vectors)
	var back mat.Dense
	back.Mul(v.T(), mat.NewDiagDense(n, values))
	back.Mul(&back, v)
	if norm := mat.Norm(&a, 2); !mat.EqualApprox(&back, &a, 1e-13*norm) || values[n-rank-1] > 1e-13*norm || values[n-rank] < 1e-6*norm {
		t.Errorf("eigenvalues %v", values)
	}
}
