package gmm

import (
	"context"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/bounds"
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
	own, err := hardMoments(r, oneComponent, mat.NewDense(1, r.dim, nil), true)
	if err != nil {
		return nil, err
	}
	total, err := g.Sum(ctx, own.pack(), l.moments(1))
	if err != nil {
		return nil, err
	}
	return &Common{l, unpack(total, 1, r.dim, true)}, nil
}

// Rows returns the number of all rows.
func (c *Common) Rows() float64 { return c.sums.n[0] }

// Squares returns the sum of the squares of column i.
func (c *Common) Squares(i int) float64 { return c.sums.second[i*c.sums.dim+i] }

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
