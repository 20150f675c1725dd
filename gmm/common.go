package gmm

import (
	"context"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/bounds"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Bounds hold for the rows of every participant.
type Bounds = bounds.Bounds

// Common is what all participants know of their rows before a start: bounds that
// hold at each, and the moments of all rows together. Who has learned it on the way
// to standardised rows hands it to the learner, which then asks for neither.
type Common struct {
	limits limits
	sums   *moments
}

// SumMoments sums the number of rows, their columns, and the products of any two
// columns, over all participants.
func SumMoments(ctx context.Context, g collabdict.Group, rows Rows, b Bounds) (*Common, error) {
	return sumMoments(ctx, g, newReader(rows), limits{b})
}

func sumMoments(ctx context.Context, g collabdict.Group, r *reader, l limits) (*Common, error) {
	own, err := productSums(r)
	if err != nil {
		return nil, err
	}
	total, err := g.Sum(ctx, own.pack(), l.moments(1))
	if err != nil {
		return nil, err
	}
	return &Common{l, unpack(total, 1, r.dim, true)}, nil
}

// manyColumns is from where on a lane's sums of products take more than its rows do.
const manyColumns = 128

// productSums returns the moments of the rows about the origin. Those of many columns
// are added up in one place, not in each lane.
func productSums(r *reader) (*moments, error) {
	if r.dim <= manyColumns {
		return hardMoments(r, oneComponent, mat.NewDense(1, r.dim, nil), true)
	}
	s := newMoments(1, r.dim, true)
	s.n[0] = float64(r.n)
	second := blas64.Symmetric{N: r.dim, Stride: r.dim, Uplo: blas.Upper, Data: s.second}
	x := make([]float64, min(r.n, blockRows)*r.dim)
	for from := 0; from < r.n; from += blockRows {
		n := min(r.n-from, blockRows)
		x = x[:n*r.dim]
		if err := r.rows.ReadRows(x, from); err != nil {
			return nil, err
		}
		blas64.Syrk(blas.Trans, 1, blas64.General{Rows: n, Cols: r.dim, Stride: r.dim, Data: x}, 1, second)
		for row := x; len(row) > 0; row = row[r.dim:] {
			floats.Add(s.first, row[:r.dim])
		}
	}
	return s, nil
}

// Rows returns the number of all rows.
func (c *Common) Rows() float64 { return c.sums.n[0] }

// Squares returns the sum of the squares of column i.
func (c *Common) Squares(i int) float64 { return c.sums.second[i*c.sums.dim+i] }

// Covariance returns the mean products of any two columns, row-major M by M: of rows
// about their mean, the covariance matrix.
func (c *Common) Covariance() []float64 {
	dim := c.sums.dim
	out := make([]float64, dim*dim)
	for i := range dim {
		for j := i; j < dim; j++ {
			out[i*dim+j] = c.sums.second[i*dim+j] / c.Rows()
			out[j*dim+i] = out[i*dim+j]
		}
	}
	return out
}

// Scaled returns what is known of the rows when each column has been divided by its
// scale.
func (c *Common) Scaled(scale []float64) *Common {
	dim := c.sums.dim
	out := &Common{limits{Bounds{Rows: c.limits.Rows, RMS: make([]float64, dim)}}, newMoments(1, dim, true)}
	out.sums.n[0] = c.sums.n[0]
	for i, s := range scale {
		out.limits.RMS[i] = c.limits.RMS[i] / s
		out.sums.first[i] = c.sums.first[i] / s
		for j := i; j < dim; j++ {
			out.sums.second[i*dim+j] = c.sums.second[i*dim+j] / s / scale[j]
		}
	}
	return out
}
