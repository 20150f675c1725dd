package pca

import (
	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/portable"
	"github.com/collabdict/collabdict/internal/report"
)

// Apply returns the rows of x along the axes, N by k.
func (p *Projection) Apply(x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	k, _ := p.Axes.Dims()
	out := mat.NewDense(n, k, nil)
	p.project(out.RawMatrix().Data, mat.DenseCopyOf(x).RawMatrix().Data)
	return out
}

// Rows returns the rows of x along the axes, projected whenever they are read.
func (p *Projection) Rows(x dataset.Rows) dataset.Rows { return projected{x, p} }

// Scaled returns the projection after which rows along the axes have been scaled, too.
func (p *Projection) Scaled(s dataset.Scaling) *Projection {
	out := &Projection{Mean: append([]float64(nil), p.Mean...), Axes: mat.DenseCopyOf(p.Axes), Variances: p.Variances, Total: p.Total}
	for a, scale := range s.Scale {
		axis := out.Axes.RawRowView(a)
		portable.AddScaled(out.Mean, s.Shift[a]/blas.Dot(axis, axis), axis)
		for j := range axis {
			axis[j] /= scale
		}
	}
	return out
}

// Back returns the point of the M columns that a point along the axes stands for.
func (p *Projection) Back(z []float64) []float64 {
	x := append([]float64(nil), p.Mean...)
	for a, v := range z {
		axis := p.Axes.RawRowView(a)
		portable.AddScaled(x, v/blas.Dot(axis, axis), axis)
	}
	return x
}

// Report describes the axes.
func (p *Projection) Report() *report.PCA {
	return &report.PCA{Axes: len(p.Variances), Variances: p.Variances, Total: p.Total}
}

// project writes rows along the axes to dst, and overwrites rows. A row comes to the
// same bits whatever rows are beside it.
func (p *Projection) project(dst, rows []float64) {
	k, dim := p.Axes.Dims()
	for row := rows; len(row) > 0; row = row[dim:] {
		floats.Sub(row[:dim], p.Mean)
	}
	axes := p.Axes.RawMatrix()
	blas.Implementation{}.Dgemm(gonum.NoTrans, gonum.Trans, len(rows)/dim, k, dim, 1, rows, dim, axes.Data, axes.Stride, 0, dst, k)
}

type projected struct {
	rows dataset.Rows
	by   *Projection
}

func (r projected) Dims() (n, m int) {
	n, _ = r.rows.Dims()
	m, _ = r.by.Axes.Dims()
	return n, m
}

// blockRows rows are in memory at a time.
const blockRows = 256

func (r projected) ReadRows(x []float64, from int) error {
	k, dim := r.by.Axes.Dims()
	values := make([]float64, min(len(x)/k, blockRows)*dim)
	for len(x) > 0 {
		n := min(len(x)/k, blockRows)
		if err := r.rows.ReadRows(values[:n*dim], from); err != nil {
			return err
		}
		r.by.project(x[:n*k], values[:n*dim])
		x, from = x[n*k:], from+n
	}
	return nil
}
