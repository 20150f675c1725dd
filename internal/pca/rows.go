package pca

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/dataset"
)

// Apply returns the rows of x along the axes, N by k.
func (p *Projection) Apply(x *mat.Dense) *mat.Dense {
	n, dim := x.Dims()
	k, _ := p.Axes.Dims()
	out := mat.NewDense(n, k, nil)
	centred := make([]float64, dim)
	for i := range n {
		p.project(out.RawRowView(i), centred, x.RawRowView(i))
	}
	return out
}

// Rows returns the rows of x along the axes, projected whenever they are read.
func (p *Projection) Rows(x dataset.Rows) dataset.Rows { return projected{x, p} }

func (p *Projection) project(dst, centred, row []float64) {
	floats.SubTo(centred, row, p.Mean)
	for a := range dst {
		dst[a] = floats.Dot(p.Axes.RawRowView(a), centred)
	}
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

func (r projected) ReadRows(x []float64, from int) error {
	dim, k := len(r.by.Mean), len(r.by.Variances)
	n := len(x) / k
	values := make([]float64, n*dim)
	if err := r.rows.ReadRows(values, from); err != nil {
		return err
	}
	centred := make([]float64, dim)
	for i := range n {
		r.by.project(x[i*k:(i+1)*k], centred, values[i*dim:(i+1)*dim])
	}
	return nil
}
