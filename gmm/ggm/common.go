package ggm

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/internal/passes"
	"github.com/collabdict/collabdict/internal/columnstats"
	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/parallel"
)

// Bounds hold for the rows of every participant.
type Bounds = columnstats.Bounds

// Common is what all participants know of their rows before a start: bounds that
// hold at each, and the moments of all rows together. Who has learned it on the way
// to standardised rows hands it to the learner, which then asks for neither.
type Common struct {
	limits limits
	sums   *passes.Moments
}

// SumMoments sums the number of rows, their columns, and the products of any two
// columns, over all participants.
func SumMoments(ctx context.Context, g collabdict.Group, rows gmm.Rows, b Bounds) (*Common, error) {
	return sumMoments(ctx, g, passes.NewReader(rows), limits{b})
}

func sumMoments(ctx context.Context, g collabdict.Group, r *passes.Reader, l limits) (*Common, error) {
	own, err := productSums(r)
	if err != nil {
		return nil, err
	}
	total, err := g.Sum(ctx, own.Pack(), l.moments(1))
	if err != nil {
		return nil, err
	}
	return &Common{l, passes.Unpack(total, 1, r.Dim, true)}, nil
}

// manyColumns is from where on a lane's sums of products take more than its rows do.
const manyColumns = 128

// productSums returns the moments of the rows about the origin. Those of many columns
// are added up in one place, not in each lane.
func productSums(r *passes.Reader) (*passes.Moments, error) {
	if r.Dim <= manyColumns {
		return passes.HardMoments(r, passes.OneComponent, mat.NewDense(1, r.Dim, nil), true)
	}
	s := passes.NewMoments(1, r.Dim, true)
	s.N[0] = float64(r.N)
	x := make([]float64, min(r.N, parallel.BlockRows)*r.Dim)
	for from := 0; from < r.N; from += parallel.BlockRows {
		n := min(r.N-from, parallel.BlockRows)
		x = x[:n*r.Dim]
		if err := r.Rows.ReadRows(x, from); err != nil {
			return nil, err
		}
		kernels.Implementation{}.Dsyrk(blas.Upper, blas.Trans, r.Dim, n, 1, x, r.Dim, 1, s.Second, r.Dim)
		for row := x; len(row) > 0; row = row[r.Dim:] {
			floats.Add(s.First, row[:r.Dim])
		}
	}
	return s, nil
}

// Rows returns the number of all rows.
func (c *Common) Rows() float64 { return c.sums.N[0] }

// Squares returns the sum of the squares of column i.
func (c *Common) Squares(i int) float64 { return c.sums.Second[i*c.sums.Dim+i] }

// Covariance returns the mean products of any two columns, row-major M by M: of rows
// about their mean, the covariance matrix.
func (c *Common) Covariance() []float64 {
	dim := c.sums.Dim
	out := make([]float64, dim*dim)
	for i := range dim {
		for j := i; j < dim; j++ {
			out[i*dim+j] = c.sums.Second[i*dim+j] / c.Rows()
			out[j*dim+i] = out[i*dim+j]
		}
	}
	return out
}

// Scaled returns what is known of the rows when each column has been divided by its
// scale.
func (c *Common) Scaled(scale []float64) *Common {
	dim := c.sums.Dim
	out := &Common{limits{Bounds{Rows: c.limits.Rows, RMS: make([]float64, dim)}}, passes.NewMoments(1, dim, true)}
	out.sums.N[0] = c.sums.N[0]
	for i, s := range scale {
		out.limits.RMS[i] = c.limits.RMS[i] / s
		out.sums.First[i] = c.sums.First[i] / s
		for j := i; j < dim; j++ {
			out.sums.Second[i*dim+j] = c.sums.Second[i*dim+j] / s / scale[j]
		}
	}
	return out
}
