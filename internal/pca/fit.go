package pca

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/columnstats"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/portable"
)

// Projection moves rows of M columns to k principal ones.
type Projection struct {
	// Mean (M) is that of the rows, or where rows are scaled along the axes, what comes
	// to be 0.
	Mean []float64
	// Axes are orthogonal rows, k by M, by falling variance, of length 1 or what rows
	// are scaled by. Of each, the entry largest in absolute value is positive.
	Axes *mat.Dense
	// Variances are those of rows along axes of length 1, Total that of all M columns.
	Variances []float64
	Total     float64
}

// Fit returns the k principal axes of the rows of all members. It makes a Gather of
// bounds and two sums, and one of each more where bounds are learned by sums.
func Fit(ctx context.Context, g collabdict.Group, rows dataset.Rows, k int) (*Projection, error) {
	if _, dim := rows.Dims(); k < 1 || k > dim {
		return nil, fmt.Errorf("pca: want 1 to %d axes, as many as columns at most, got %d", dim, k)
	}
	mean, about, err := columnstats.CentredMoments(ctx, g, rows)
	if err != nil {
		return nil, fmt.Errorf("pca: %w", err)
	}
	return FromMoments(mean, about.Covariance(), k)
}

// FromMoments returns the k principal axes of rows with a known mean, and the
// covariance matrix, row-major M by M, which it overwrites.
func FromMoments(mean, covariance []float64, k int) (*Projection, error) {
	p, dim := &Projection{Mean: mean}, len(mean)
	for i := range dim {
		p.Total += covariance[i*dim+i]
	}
	values, vectors, ok := portable.Eigen(covariance, dim)
	if !ok {
		return nil, fmt.Errorf("pca: the eigenvalues of the covariance matrix do not converge")
	}
	p.Axes = mat.NewDense(k, dim, nil)
	for i := range k {
		from := dim - 1 - i
		p.Axes.SetRow(i, vectors[from*dim:(from+1)*dim])
		p.Variances = append(p.Variances, math.Max(0, values[from]))
	}
	return p, nil
}
