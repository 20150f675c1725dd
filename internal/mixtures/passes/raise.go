package passes

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
)

// Raise replaces a symmetric matrix by the nearest one without eigenvalues below least. Noise
// in sums may turn a scatter matrix into one that no rows could have.
func Raise(s *mat.SymDense, least float64) {
	dim := s.SymmetricDim()
	shifted := mat.DenseCopyOf(s).RawMatrix().Data
	for i := range dim {
		shifted[i*dim+i] -= least
	}
	if _, ok := lapack.FactoriseRows(shifted, dim); ok {
		return
	}
	values, vectors, ok := lapack.Eigen(mat.DenseCopyOf(s).RawMatrix().Data, dim)
	if !ok { // at least make the diagonal dominant
		for i := range dim {
			sum := least
			for j := range dim {
				if j != i {
					sum += math.Abs(s.At(i, j))
				}
			}
			s.SetSym(i, i, math.Max(s.At(i, i), sum))
		}
		return
	}
	raw := s.RawSymmetric()
	for k, v := range values {
		if v >= least {
			break // ascending
		}
		axis := vectors[k*dim : (k+1)*dim]
		for i := range dim {
			blas.AddScaled(raw.Data[i*raw.Stride+i:i*raw.Stride+dim], (least-v)*axis[i], axis[i:])
		}
	}
}
