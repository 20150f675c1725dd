package kfed

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
)

// withoutFew assigns each row of x to its nearest centre and returns the clusters' means and
// numbers of rows. A cluster of fewer than least rows is merged into the cluster with the
// nearest mean, the smallest first. A cluster without rows is dropped. few is the number of
// clusters that were too small. If x itself has fewer rows, one cluster remains.
func withoutFew(x, centres *mat.Dense, least int) (means *mat.Dense, rows []int, few int) {
	k, dim := centres.Dims()
	rows, sums := make([]int, k), mat.NewDense(k, dim, nil)
	for j, c := range gmm.Nearest(x, centres) {
		rows[c]++
		floats.Add(sums.RawRowView(c), x.RawRowView(j))
	}
	var left [][]float64 // sums over the rows of each cluster
	at := 0
	for c, n := range rows {
		if n < least {
			few++
		}
		if n > 0 {
			left = append(left, sums.RawRowView(c))
			rows[at] = n
			at++
		}
	}
	rows = rows[:at]
	for len(left) > 1 && slices.Min(rows) < least {
		small := slices.Index(rows, slices.Min(rows))
		n, sum := rows[small], left[small]
		rows, left = slices.Delete(rows, small, small+1), slices.Delete(left, small, small+1)
		to := nearestMean(left, rows, mean(sum, n))
		floats.Add(left[to], sum)
		rows[to] += n
	}
	means = mat.NewDense(len(left), dim, nil)
	for c, sum := range left {
		means.SetRow(c, mean(sum, rows[c]))
	}
	return means, rows, few
}

func nearestMean(sums [][]float64, rows []int, to []float64) (at int) {
	least := math.Inf(1)
	for c, sum := range sums {
		if d := squared(mean(sum, rows[c]), to); d < least {
			at, least = c, d
		}
	}
	return at
}

func mean(sum []float64, rows int) []float64 {
	return floats.ScaleTo(make([]float64, len(sum)), 1/float64(rows), sum)
}
