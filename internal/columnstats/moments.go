package columnstats

import (
	"context"
	"fmt"
	"math"

	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/parallel"
)

// Moments are sums over the rows of all members, and bounds that hold at each.
type Moments struct {
	Bounds   Bounds
	Count    float64   // N, the number of rows
	Sums     []float64 // M
	Products []float64 // M by M, of any two columns: the upper triangle
}

func newMoments(dim int) *Moments {
	return &Moments{Sums: make([]float64, dim), Products: make([]float64, dim*dim)}
}

// SumMoments makes one sum, of values that the bounds b hold for.
func SumMoments(ctx context.Context, g collabdict.Group, rows collabdict.Rows, b Bounds) (*Moments, error) {
	own, err := momentsOf(rows)
	if err != nil {
		return nil, err
	}
	x, dim := append([]float64{own.Count}, own.Sums...), len(own.Sums)
	for i := range dim {
		x = append(x, own.Products[i*dim+i:(i+1)*dim]...)
	}
	total, err := g.Sum(ctx, x, b.Moments(1, true))
	if err != nil {
		return nil, err
	}
	if err := b.CheckRows(total[0]); err != nil {
		return nil, err
	}
	all := &Moments{Bounds: b, Count: total[0], Sums: total[1 : 1+dim : 1+dim], Products: make([]float64, dim*dim)}
	for i, rest := 0, total[1+dim:]; i < dim; i++ {
		rest = rest[copy(all.Products[i*dim+i:(i+1)*dim], rest):]
	}
	return all, nil
}

// CentredMoments returns the mean of all rows, and the moments about it. It makes a Gather
// of bounds and two sums, and one of each more where bounds are learned by sums: first of
// the values, then, about the common mean, of the products of any two, so that a mean far
// from zero costs no precision.
func CentredMoments(ctx context.Context, g collabdict.Group, rows collabdict.Rows) (mean []float64, about *Moments, err error) {
	b, err := Agree(ctx, g, rows)
	if err != nil {
		return nil, nil, fmt.Errorf("means: %w", err)
	}
	if mean, err = means(ctx, g, rows, b); err != nil {
		return nil, nil, fmt.Errorf("means: %w", err)
	}
	moved := centred{rows, mean}
	if b, err = b.Tighten(ctx, g, moved); err != nil {
		return nil, nil, fmt.Errorf("variances: %w", err)
	}
	if about, err = SumMoments(ctx, g, moved, b); err != nil {
		return nil, nil, fmt.Errorf("variances: %w", err)
	}
	return mean, about, nil
}

// means returns the mean of each column over the rows of all members.
func means(ctx context.Context, g collabdict.Group, rows collabdict.Rows, b Bounds) ([]float64, error) {
	n, dim := rows.Dims()
	x := make([]float64, 1+dim)
	x[0] = float64(n)
	if err := eachRow(rows, func(row []float64) { floats.Add(x[1:], row) }); err != nil {
		return nil, err
	}
	total, err := g.Sum(ctx, x, b.FirstMoments(nil, 1))
	if err != nil {
		return nil, err
	}
	if err := b.CheckRows(total[0]); err != nil {
		return nil, err
	}
	floats.Scale(1/math.Round(total[0]), total[1:])
	return total[1:], nil
}

// centred is rows less their mean.
type centred struct {
	collabdict.Rows
	mean []float64
}

func (r centred) ReadRows(x []float64, from int) error {
	err := r.Rows.ReadRows(x, from)
	for ; len(x) > 0; x = x[len(r.mean):] {
		floats.Sub(x[:len(r.mean)], r.mean)
	}
	return err
}

// manyColumns is from where on a lane's sums of products take more than its rows do.
const manyColumns = 128

// momentsOf returns the moments of a member's own rows. Those of many columns are added up
// in one place, not in each lane.
func momentsOf(rows collabdict.Rows) (*Moments, error) {
	n, dim := rows.Dims()
	if dim > manyColumns {
		return momentsOfMany(rows)
	}
	lanes, blocks := make([]*Moments, parallel.Lanes(n)), make([][]float64, parallel.Lanes(n))
	errs := make([]error, len(lanes))
	parallel.Sweep(n, func(l, lo, hi int) {
		if errs[l] != nil {
			return
		}
		if lanes[l] == nil {
			lanes[l], blocks[l] = newMoments(dim), make([]float64, min(n, blockRows)*dim)
		}
		x := blocks[l][:(hi-lo)*dim]
		if errs[l] = rows.ReadRows(x, lo); errs[l] == nil {
			lanes[l].add(x)
		}
	})
	total := newMoments(dim)
	total.Count = float64(n)
	for l, m := range lanes {
		if errs[l] != nil {
			return nil, errs[l]
		}
		floats.Add(total.Sums, m.Sums)
		floats.Add(total.Products, m.Products)
	}
	return total, nil
}

// add adds rows one by one.
func (m *Moments) add(x []float64) {
	dim := len(m.Sums)
	for ; len(x) > 0; x = x[dim:] {
		row := x[:dim]
		floats.Add(m.Sums, row)
		for i, v := range row {
			blas.AddScaled(m.Products[i*dim+i:(i+1)*dim], v, row[i:])
		}
	}
}

func momentsOfMany(rows collabdict.Rows) (*Moments, error) {
	n, dim := rows.Dims()
	m := newMoments(dim)
	m.Count = float64(n)
	err := eachBlock(rows, func(x []float64) {
		blas.Implementation{}.Dsyrk(gonum.Upper, gonum.Trans, dim, len(x)/dim, 1, x, dim, 1, m.Products, dim)
		for row := x; len(row) > 0; row = row[dim:] {
			floats.Add(m.Sums, row[:dim])
		}
	})
	return m, err
}

// Rows returns the number of all rows.
func (m *Moments) Rows() float64 { return m.Count }

// Squares returns the sum of the squares of column i.
func (m *Moments) Squares(i int) float64 { return m.Products[i*len(m.Sums)+i] }

// Covariance returns the mean products of any two columns, row-major M by M: of rows
// about their mean, the covariance matrix.
func (m *Moments) Covariance() []float64 {
	dim := len(m.Sums)
	out := make([]float64, dim*dim)
	for i := range dim {
		for j := i; j < dim; j++ {
			out[i*dim+j] = m.Products[i*dim+j] / m.Count
			out[j*dim+i] = out[i*dim+j]
		}
	}
	return out
}

// Scaled returns the moments of the rows when each column has been divided by its scale.
func (m *Moments) Scaled(scale []float64) *Moments {
	dim := len(m.Sums)
	out := newMoments(dim)
	out.Count, out.Bounds = m.Count, Bounds{Rows: m.Bounds.Rows, All: m.Bounds.All, RMS: make([]float64, dim)}
	for i, s := range scale {
		out.Bounds.RMS[i] = m.Bounds.RMS[i] / s
		out.Sums[i] = m.Sums[i] / s
		for j := i; j < dim; j++ {
			out.Products[i*dim+j] = m.Products[i*dim+j] / s / scale[j]
		}
	}
	return out
}
