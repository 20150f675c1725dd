package columnstats

import (
	"context"
	"math"

	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// Moments are sums over the rows of all members.
type Moments struct {
	Count    float64   // N, the number of rows
	Sums     []float64 // M
	Products []float64 // products of two columns (M × M), upper triangle
}

func newMoments(dim int) *Moments {
	return &Moments{Sums: make([]float64, dim), Products: make([]float64, dim*dim)}
}

// sumMoments makes one sum, of values within the bounds b. It shows all members N, Σx and Σxxᵀ
// exactly. Two such totals over members that differ by one show those of that member.
func sumMoments(ctx context.Context, g collabdict.Group, rows collabdict.Rows, b Bounds) (*Moments, error) {
	own, err := momentsOf(rows)
	if err != nil {
		return nil, err
	}
	x, blocks := split(own.pack(), b.Moments(1, true))
	total, err := g.Sum(ctx, collabdict.Summand{Entry: MomentsEntry, Values: x, Blocks: blocks})
	if err != nil {
		return nil, err
	}
	all := unpack(join(total), len(own.Sums))
	return all, b.checkRows(all.Count, 0)
}

// pack returns the moments in the order of their sum.
func (m *Moments) pack() []float64 {
	x, dim := append([]float64{m.Count}, m.Sums...), len(m.Sums)
	for i := range dim {
		x = append(x, m.Products[i*dim+i:(i+1)*dim]...)
	}
	return x
}

func unpack(x []float64, dim int) *Moments {
	m := &Moments{Count: x[0], Sums: x[1 : 1+dim : 1+dim], Products: make([]float64, dim*dim)}
	for i, rest := 0, x[1+dim:]; i < dim; i++ {
		rest = rest[copy(m.Products[i*dim+i:(i+1)*dim], rest):]
	}
	return m
}

// manyColumns is the number of columns from which a worker's sums of products take more memory
// than its rows.
const manyColumns = 128

// momentsOf returns the moments of a member's own rows. With many columns, all workers add to
// one set of sums.
func momentsOf(rows collabdict.Rows) (*Moments, error) {
	n, dim := rows.Dims()
	if dim > manyColumns {
		return momentsOfMany(rows)
	}
	packed, err := lanes.Sum(momentsOfLane, rows, struct{}{})
	if err != nil {
		return nil, err
	}
	total := unpack(packed, dim)
	total.Count = float64(n)
	return total, nil
}

// momentsOfLane computes the packed moments of the rows of a lane.
var momentsOfLane = lanes.NewJob("moments", func(l *lanes.Lane, _ struct{}) ([]float64, error) {
	m := newMoments(l.Dim)
	err := l.Each(m.add)
	return m.pack(), err
})

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
	err := lanes.EachBlock(rows, lanes.BlockRows, func(_ int, x []float64) error {
		blas.Implementation{}.Dsyrk(gonum.Upper, gonum.Trans, dim, len(x)/dim, 1, x, dim, 1, m.Products, dim)
		for row := x; len(row) > 0; row = row[dim:] {
			floats.Add(m.Sums, row[:dim])
		}
		return nil
	})
	return m, err
}

// Mean returns the mean of all rows.
func (m *Moments) Mean() []float64 {
	mean := make([]float64, len(m.Sums))
	floats.ScaleTo(mean, 1/math.Round(m.Count), m.Sums)
	return mean
}

// Covariance returns the covariance matrix of all rows, row-major M × M.
func (m *Moments) Covariance() []float64 {
	mean, dim := m.Mean(), len(m.Sums)
	out := make([]float64, dim*dim)
	for i, c := range mean {
		for j := i; j < dim; j++ {
			out[i*dim+j] = m.Products[i*dim+j]/math.Round(m.Count) - float64(c*mean[j])
			out[j*dim+i] = out[i*dim+j]
		}
	}
	return out
}
