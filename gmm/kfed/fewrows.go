package kfed

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
)

// withoutFew returns the means of the clusters that the rows of x are in by the nearest
// of the centres, and their numbers of rows. One of fewer rows than least is merged into
// the one with the nearest mean, the smallest first; one without a row, which has no
// mean, goes. few is how many there were of fewer. Of fewer rows in all there is one
// cluster.
func withoutFew(x, centres *mat.Dense, least int) (means *mat.Dense, rows []int, few int) {
	k, dim := centres.Dims()
	rows, sums := make([]int, k), mat.NewDense(k, dim, nil)
	for j, c := range gmm.Nearest(x, centres) {
		rows[c]++
		floats.Add(sums.RawRowView(c), x.RawRowView(j))
	}
	var left [][]float64 // sums, of as many rows
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
