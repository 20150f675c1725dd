package rows

import (
	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/kernels/blas"
)

// A Projection maps rows of M columns to k axes.
type Projection struct {
	// Mean (M) is subtracted before projecting: the mean of the rows or, if axes are scaled,
	// the point that maps to 0.
	Mean []float64
	// Axes (k × M) has orthogonal rows, of length 1 or of the factor that scales the axis.
	Axes *mat.Dense
	// Variances are the variances along axes of length 1. Total is the variance of all M
	// columns.
	Variances []float64
	Total     float64
}

// Onto returns the projection to principal axes.
func Onto(a *columnstats.Axes) *Projection { return (*Projection)(a) }

// Apply returns the projected rows of x, N × k.
func (p *Projection) Apply(x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	k, _ := p.Axes.Dims()
	out := mat.NewDense(n, k, nil)
	p.project(out.RawMatrix().Data, mat.DenseCopyOf(x).RawMatrix().Data)
	return out
}

// Scaled returns the projection followed by a scaling of the axes.
func (p *Projection) Scaled(s Scaling) *Projection {
	out := &Projection{Mean: append([]float64(nil), p.Mean...), Axes: mat.DenseCopyOf(p.Axes), Variances: p.Variances, Total: p.Total}
	for a, scale := range s.Scale {
		axis := out.Axes.RawRowView(a)
		blas.AddScaled(out.Mean, s.Shift[a]/blas.Dot(axis, axis), axis)
		for j := range axis {
			axis[j] /= scale
		}
	}
	return out
}

// Back returns the point in the M columns for a point on the axes.
func (p *Projection) Back(z []float64) []float64 {
	x := append([]float64(nil), p.Mean...)
	for a, v := range z {
		axis := p.Axes.RawRowView(a)
		blas.AddScaled(x, v/blas.Dot(axis, axis), axis)
	}
	return x
}

// project writes the projected rows to dst and overwrites rows. The result for a row does not
// depend on the rows beside it, to the last bit.
func (p *Projection) project(dst, rows []float64) {
	k, dim := p.Axes.Dims()
	for row := rows; len(row) > 0; row = row[dim:] {
		floats.Sub(row[:dim], p.Mean)
	}
	axes := p.Axes.RawMatrix()
	blas.Implementation{}.Dgemm(gonum.NoTrans, gonum.Trans, len(rows)/dim, k, dim, 1, rows, dim, axes.Data, axes.Stride, 0, dst, k)
}
