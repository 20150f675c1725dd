package kfed

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
)

// Local clusters a participant's rows by Algorithm 1 of Dennis et al. 2021, after
// Awasthi and Sheffet (2012): k-means on the projection to the k first right singular
// vectors; the mean, in all columns, of each cluster's rows that are three times as
// close to its centre as to any other; Lloyd's algorithm from there. It returns
// min(k, rows) centres by M columns. The rows are finite.
func Local(x *mat.Dense, k int, src rand.Source) *mat.Dense {
	rows, dim := x.Dims()
	k = min(k, rows)
	near, axes := x, mat.Matrix(nil)
	if k < dim {
		axes = singular(x, k)
	}
	if axes != nil {
		near = mat.NewDense(rows, k, nil)
		near.Mul(x, axes)
	}
	centres := gmm.KMeans(near, k, src)
	start := cores(x, near, centres)
	for c := range k {
		if start[c] == nil { // no row is that close, or near at all
			row := mat.Row(nil, c, centres)
			if axes != nil {
				var lifted mat.VecDense
				lifted.MulVec(axes, mat.NewVecDense(k, row))
				row = lifted.RawVector().Data
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

// singular returns the k first right singular vectors of x as columns, eigenvectors of
// XᵀX, or nil if they are not found.
func singular(x *mat.Dense, k int) mat.Matrix {
	_, dim := x.Dims()
	var square mat.SymDense
	square.SymOuterK(1, x.T())
	var e mat.EigenSym
	if !e.Factorize(&square, true) {
		return nil
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	return vectors.Slice(0, dim, dim-k, dim)
}

// cores returns the means of the rows of x that are in the core of each cluster of
// their projections, nil for one without any.
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

// squared is the squared distance of two rows. Members compute it each for itself, so
// each product is rounded.
func squared(x, y []float64) (sum float64) {
	for i, v := range x {
		d := v - y[i]
		sum += float64(d * d)
	}
	return sum
}
