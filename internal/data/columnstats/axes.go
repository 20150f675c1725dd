package columnstats

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
)

// Axes are the principal axes of rows of M columns.
type Axes struct {
	Mean []float64 // mean of the rows (M)
	// Axes has orthogonal rows of length 1, k × M, by falling variance. The entry of largest
	// size in each is positive.
	Axes *mat.Dense
	// Variances are the variances along the axes. Total is that of all M columns.
	Variances []float64
	Total     float64
}

// PrincipalAxes returns the k principal axes of all members' rows, which lie near 0. It takes two
// sums of bounds and one more. Members learn the number, the mean and the covariance matrix of
// all rows, which is more than the axes.
func PrincipalAxes(ctx context.Context, g collabdict.Group, rows collabdict.Rows, k int) (*Axes, error) {
	if _, dim := rows.Dims(); k < 1 || k > dim {
		return nil, fmt.Errorf("pca: want 1 to %d axes, at most one per column, got %d", dim, k)
	}
	b, err := Agree(ctx, g, rows)
	if err != nil {
		return nil, fmt.Errorf("pca: %w", err)
	}
	all, err := sumMoments(ctx, g, rows, b)
	if err != nil {
		return nil, fmt.Errorf("pca: %w", err)
	}
	return axesOf(all.Mean(), all.Covariance(), k)
}

// axesOf returns the k principal axes of rows with the given mean and covariance matrix
// (row-major M × M), which it overwrites.
func axesOf(mean, covariance []float64, k int) (*Axes, error) {
	a, dim := &Axes{Mean: mean}, len(mean)
	for i := range dim {
		a.Total += covariance[i*dim+i]
	}
	values, vectors, ok := lapack.Eigen(covariance, dim)
	if !ok {
		return nil, fmt.Errorf("pca: the eigenvalues of the covariance matrix do not converge")
	}
	a.Axes = mat.NewDense(k, dim, nil)
	for i := range k {
		from := dim - 1 - i
		a.Axes.SetRow(i, vectors[from*dim:(from+1)*dim])
		a.Variances = append(a.Variances, math.Max(0, values[from]))
	}
	return a, nil
}
