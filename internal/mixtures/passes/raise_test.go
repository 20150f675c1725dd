package passes

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The raised matrix has the same eigenvectors, and the eigenvalues that are not below the least one.
func TestRaise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, dim := range []int{1, 2, 7, 40} {
		for _, least := range []float64{-1e9, 0, 0.5} {
			s := mat.NewSymDense(dim, nil)
			for i := range dim {
				for j := i; j < dim; j++ {
					s.SetSym(i, j, rng.NormFloat64())
				}
			}
			var e mat.EigenSym
			if !e.Factorize(s, true) {
				t.Fatal("no eigenvalues")
			}
			values := e.Values(nil)
			for i, v := range values {
				values[i] = math.Max(v, least)
			}
			var axes, want mat.Dense
			e.VectorsTo(&axes)
			want.Mul(&axes, mat.NewDiagDense(dim, values))
			want.Mul(&want, axes.T())
			before := mat.DenseCopyOf(s)
			if Raise(s, least); !mat.EqualApprox(s, &want, 1e-12) {
				t.Errorf("%d columns, at least %g: got %v, want %v", dim, least, mat.Formatted(s), mat.Formatted(&want))
			}
			if least == -1e9 && !mat.Equal(s, before) {
				t.Errorf("%d columns: a matrix without small eigenvalues has changed", dim)
			}
		}
	}
}
