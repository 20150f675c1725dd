package fedgen

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
)

// Contribution is what a participant publishes to all members: the mixture fitted to its rows,
// and their number. It reveals as much about the rows as their mixture does. A component of few
// rows would be close to these rows, so [Local] merges it into another. [Private] adds noise.
type Contribution struct {
	Rows int
	Moments
}

const (
	maxComponents = 1 << 12
	maxDim        = 1 << 14
	maxRows       = 1 << 40
	// largest bounds means and standard deviations, so that sums of their products cannot
	// overflow.
	largest = 0x1p200
	// offSimplex is the largest difference from 1 that rounding may give the sum of the
	// weights.
	offSimplex = 1e-9
)

// Validate returns an error for the first size or value that is impossible for a contribution.
func (c Contribution) Validate() error {
	if c.Rows < 1 || int64(c.Rows) > maxRows {
		return fmt.Errorf("rows: want 1 to 2^40, got %d", c.Rows)
	}
	k := len(c.Weights)
	if k < 1 || k > maxComponents || len(c.Means) != k || len(c.Covariances) != k {
		return fmt.Errorf("want 1 to %d components, each with a weight, a mean and a covariance matrix, got %d weights, %d means and %d matrices", maxComponents, k, len(c.Means), len(c.Covariances))
	}
	sum := 0.0
	for i, w := range c.Weights {
		if !(w >= 0 && w <= 1) {
			return fmt.Errorf("component %d: want a weight from 0 to 1, got %g", i+1, w)
		}
		sum += w
	}
	if math.Abs(sum-1) > offSimplex {
		return fmt.Errorf("want weights that add up to 1, got a sum of %g", sum)
	}
	for i := range c.Weights {
		if err := c.validateComponent(i); err != nil {
			return fmt.Errorf("component %d: %w", i+1, err)
		}
	}
	return nil
}

func (c Contribution) validateComponent(k int) error {
	dim := c.Dim()
	if dim < 1 || dim > maxDim || len(c.Means[k]) != dim || len(c.Covariances[k]) != stride(c.Form, dim) {
		return fmt.Errorf("want a mean and a covariance matrix of 1 to %d columns, as many as the first component has, got %d and %d values", maxDim, len(c.Means[k]), len(c.Covariances[k]))
	}
	for i, v := range c.Means[k] {
		if !(math.Abs(v) <= largest) {
			return fmt.Errorf("column %d: want a mean of at most 2^200 in size, got %g", i+1, v)
		}
	}
	step := 1
	if c.Form == gmm.Full {
		step = dim + 1
	}
	for i := range dim {
		if v := c.Covariances[k][i*step]; !(v >= 1/(largest*largest) && v <= largest*largest) {
			return fmt.Errorf("column %d: want a variance from 2^-400 to 2^400, got %g", i+1, v)
		}
		if c.Form == gmm.Spherical && c.Covariances[k][i] != c.Covariances[k][0] {
			return fmt.Errorf("want the same variance for all columns, got %g and %g", c.Covariances[k][0], c.Covariances[k][i])
		}
	}
	if c.Form == gmm.Full {
		if _, ok := lapack.FactoriseRows(c.Covariances[k], dim); !ok {
			return fmt.Errorf("want a positive definite covariance matrix: raise the regularisation")
		}
	}
	return nil
}

// stride returns the number of values of a component's covariance matrix in memory.
func stride(form gmm.Covariance, dim int) int {
	if form == gmm.Full {
		return dim * dim
	}
	return dim
}
