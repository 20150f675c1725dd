package dem

import (
	"math"

	"github.com/collabdict/collabdict/gmm"
)

// leastRows is the number of rows below which a component keeps its shape, because dividing by
// fewer would magnify the rounding errors of a sum.
const leastRows = 1

// settle repairs sums about the origin that rounding has made impossible for a mixture. A
// component of fewer than leastRows keeps its mean and covariance matrix, and no variance is
// below 0. All members do so to the same total.
func settle(sums []float64, m *gmm.Mixture, origin []float64) {
	k, dim := m.Components(), m.Dim()
	for c := range k {
		if sums[c] = math.Max(sums[c], 0); sums[c] < leastRows {
			keep(sums, m, origin, c)
		}
	}
	clip(sums, k, dim, m.Form())
}

// keep replaces a component's sums by those that leave the component as it is.
func keep(sums []float64, m *gmm.Mixture, origin []float64, c int) {
	k, dim := m.Components(), m.Dim()
	first, second := sums[k:k+k*dim], sums[k+k*dim:]
	mean, covariance, pair := m.Means().RawRowView(c), m.Covariance(c), 0
	for i := range dim {
		shift := mean[i] - origin[i]
		first[i*k+c] = float64(sums[c] * shift)
		for j := i; j < lastOf(i, dim, m.Form()); j++ {
			second[pair*k+c] = float64(sums[c] * (covariance.At(i, j) + float64(shift*(mean[j]-origin[j]))))
			pair++
		}
	}
}

// clip raises each column's second moment to the minimum that its first moment implies.
func clip(sums []float64, k, dim int, form gmm.Covariance) {
	first, second := sums[k:k+k*dim], sums[k+k*dim:]
	pair := 0
	for i := range dim {
		for c := range k {
			if n := sums[c]; n > 0 {
				f := first[i*k+c]
				second[pair*k+c] = math.Max(second[pair*k+c], float64(f*f)/n)
			}
		}
		pair += lastOf(i, dim, form) - i
	}
}

// lastOf returns one more than the last column with which column i has a product.
func lastOf(i, dim int, form gmm.Covariance) int {
	if form == gmm.Full {
		return dim
	}
	return i + 1
}
