package pca

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm/portable"
	"github.com/collabdict/collabdict/internal/bounds"
	"github.com/collabdict/collabdict/internal/dataset"
)

// Projection moves rows of M columns to k principal ones.
type Projection struct {
	Mean []float64 // M
	// Axes are orthonormal rows, k by M, by falling variance. Of each, the entry
	// largest in absolute value is positive.
	Axes *mat.Dense
	// Variances are those along the axes, Total that of all M columns.
	Variances []float64
	Total     float64
}

// Fit returns the k principal axes of the rows of all members. It makes a Gather of
// bounds and two sums, and one of each more where bounds are learned by sums.
func Fit(ctx context.Context, g collabdict.Group, rows dataset.Rows, k int) (*Projection, error) {
	if _, dim := rows.Dims(); k < 1 || k > dim {
		return nil, fmt.Errorf("pca: want 1 to %d axes, as many as columns at most, got %d", dim, k)
	}
	b, err := bounds.Agree(ctx, g, rows)
	if err != nil {
		return nil, fmt.Errorf("pca: %w", err)
	}
	p := &Projection{}
	if p.Mean, err = means(ctx, g, rows, b); err != nil {
		return nil, fmt.Errorf("pca: means: %w", err)
	}
	centred := dataset.Scaling{Shift: p.Mean, Scale: dataset.Unscaled(len(p.Mean)).Scale}.Rows(rows)
	if b, err = b.Tighten(ctx, g, centred); err != nil {
		return nil, fmt.Errorf("pca: %w", err)
	}
	covariance, err := products(ctx, g, centred, b)
	if err != nil {
		return nil, fmt.Errorf("pca: products: %w", err)
	}
	return p, p.decompose(covariance, k)
}

// decompose takes the axes from the covariance matrix, row-major M by M.
func (p *Projection) decompose(covariance []float64, k int) error {
	dim := len(p.Mean)
	for i := range dim {
		p.Total += covariance[i*dim+i]
	}
	values, vectors, ok := portable.Eigen(covariance, dim)
	if !ok {
		return fmt.Errorf("pca: the eigenvalues of the covariance matrix do not converge")
	}
	p.Axes = mat.NewDense(k, dim, nil)
	for i := range k {
		from := dim - 1 - i
		p.Axes.SetRow(i, vectors[from*dim:(from+1)*dim])
		p.Variances = append(p.Variances, math.Max(0, values[from]))
	}
	return nil
}

// means returns the mean of each column over the rows of all members.
func means(ctx context.Context, g collabdict.Group, rows dataset.Rows, b bounds.Bounds) ([]float64, error) {
	n, dim := rows.Dims()
	x := make([]float64, 1+dim)
	x[0] = float64(n)
	if err := dataset.EachRow(rows, func(row []float64) { floats.Add(x[1:], row) }); err != nil {
		return nil, err
	}
	blocks := bounds.Append(nil, 1, b.Rows)
	for _, rms := range b.RMS {
		blocks = bounds.Append(blocks, 1, b.Rows*rms)
	}
	total, err := g.Sum(ctx, x, blocks)
	if err != nil {
		return nil, err
	}
	floats.Scale(1/math.Round(total[0]), total[1:])
	return total[1:], nil
}

// products returns the mean products of any two columns, row-major M by M, over the
// rows of all members.
func products(ctx context.Context, g collabdict.Group, rows dataset.Rows, b bounds.Bounds) ([]float64, error) {
	n, dim := rows.Dims()
	own := blas64.Symmetric{N: dim, Stride: dim, Uplo: blas.Upper, Data: make([]float64, dim*dim)}
	err := dataset.Each(rows, func(x *mat.Dense, _ int) error {
		blas64.Syrk(blas.Trans, 1, x.RawMatrix(), 1, own)
		return nil
	})
	if err != nil {
		return nil, err
	}
	// Columns with equal bounds stand together, so that there are few blocks.
	order := make([]int, dim)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(b.RMS[i], b.RMS[j]) })
	x := []float64{float64(n)}
	blocks := bounds.Append(nil, 1, b.Rows)
	for at, i := range order {
		for _, j := range order[at:] {
			x = append(x, own.Data[min(i, j)*dim+max(i, j)])
			blocks = bounds.Append(blocks, 1, b.Rows*b.RMS[i]*b.RMS[j])
		}
	}
	total, err := g.Sum(ctx, x, blocks)
	if err != nil {
		return nil, err
	}
	count, next := math.Round(total[0]), 1
	out := make([]float64, dim*dim)
	for at, i := range order {
		for _, j := range order[at:] {
			out[i*dim+j] = total[next] / count
			out[j*dim+i] = out[i*dim+j]
			next++
		}
	}
	return out, nil
}
