package kfed

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
)

// Local clusters a participant's rows by Algorithm 1 of Dennis et al. 2021, after Awasthi and
// Sheffet (2012). It runs k-means on the projection to the first k right singular vectors. For
// each cluster it takes the mean, in all columns, of the rows that are three times as close to
// their centre as to any other. From there it runs Lloyd's algorithm. It returns min(k, rows)
// centres by M columns. The rows must be finite.
func Local(x *mat.Dense, k int, src rand.Source) *mat.Dense {
	rows, dim := x.Dims()
	k = min(k, rows)
	near, axes := x, []float64(nil)
	if k < dim {
		axes = singular(x, k)
	}
	if axes != nil {
		near = mat.NewDense(rows, k, nil)
		from, to := x.RawMatrix(), near.RawMatrix()
		kernels.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, rows, k, dim, 1, from.Data, from.Stride, axes, dim, 0, to.Data, to.Stride)
	}
	centres := gmm.KMeans(near, k, src)
	start := cores(x, near, centres)
	for c := range k {
		if start[c] == nil { // no row is that close, or none belongs to the cluster
			row := mat.Row(nil, c, centres)
			if axes != nil {
				lifted := make([]float64, dim)
				for a, v := range row {
					kernels.AddScaled(lifted, v, axes[a*dim:(a+1)*dim])
				}
				row = lifted
			}
			start[c] = row
		}
	}
	from := mat.NewDense(k, dim, nil)
	for c, row := range start {
		from.SetRow(c, row)
	}
	return gmm.Lloyd(x, from)
}

// singular returns the first k right singular vectors of x, the eigenvectors of XᵀX, as rows of
// dim values; nil if they cannot be computed.
func singular(x *mat.Dense, k int) []float64 {
	rows, dim := x.Dims()
	square, from := make([]float64, dim*dim), x.RawMatrix()
	kernels.Implementation{}.Dsyrk(blas.Upper, blas.Trans, dim, rows, 1, from.Data, from.Stride, 0, square, dim)
	for i := range dim {
		for j := range i {
			square[i*dim+j] = square[j*dim+i]
		}
	}
	_, vectors, ok := lapack.Eigen(square, dim)
	if !ok {
		return nil
	}
	return vectors[(dim-k)*dim:]
}

// cores returns, for each cluster of the projections, the mean of the rows of x in its core, or
// nil if there are none.
func cores(x, near, centres *mat.Dense) [][]float64 {
	k, _ := centres.Dims()
	sums, counts := make([][]float64, k), make([]float64, k)
	for j, own := range gmm.Nearest(near, centres) {
		row := near.RawRowView(j)
		reach := 9 * squared(row, centres.RawRowView(own))
		inside := true
		for c := 0; c < k && inside; c++ {
			inside = c == own || reach <= squared(row, centres.RawRowView(c))
		}
		if !inside {
			continue
		}
		if sums[own] == nil {
			sums[own] = make([]float64, len(x.RawRowView(j)))
		}
		floats.Add(sums[own], x.RawRowView(j))
		counts[own]++
	}
	for c, sum := range sums {
		if sum != nil {
			floats.Scale(1/counts[c], sum)
		}
	}
	return sums
}

// squared returns the squared distance of two rows. It rounds each product, so that all members
// compute the same bits.
func squared(x, y []float64) (sum float64) {
	for i, v := range x {
		d := v - y[i]
		sum += float64(d * d)
	}
	return sum
}
