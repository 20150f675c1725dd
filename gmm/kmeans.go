package gmm

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const maxLloyd = 100

// KMeans clusters the rows of x by Lloyd's algorithm from a k-means++ start
// (Arthur and Vassilvitskii 2007) and returns the k by M centres. k is from 1 to
// the rows of x. With fewer distinct rows than k, centres coincide.
func KMeans(x *mat.Dense, k int, src rand.Source) *mat.Dense {
	centres := PlusPlus(x, k, src)
	last := math.Inf(1)
	for range maxLloyd {
		sums := clusterSums(x, []*mat.Dense{centres})
		if sums[0] >= last {
			break
		}
		last = sums[0]
		moveCentres([]*mat.Dense{centres}, sums[1:])
	}
	return centres
}

// PlusPlus draws k rows of x as centres, each with probability proportional to
// its squared distance to the nearest one drawn before.
func PlusPlus(x *mat.Dense, k int, src rand.Source) *mat.Dense {
	rows, dim := x.Dims()
	rng := rand.New(src)
	centres := mat.NewDense(k, dim, nil)
	centres.SetRow(0, x.RawRowView(rng.IntN(rows)))
	distance := make([]float64, rows)
	floats.AddConst(math.Inf(1), distance)
	for i := 1; i < k; i++ {
		last := centres.RawRowView(i - 1)
		sweep(rows, func(_, lo, hi int) {
			for j := lo; j < hi; j++ {
				distance[j] = math.Min(distance[j], squaredDistance(x.RawRowView(j), last))
			}
		})
		centres.SetRow(i, x.RawRowView(draw(distance, rng.Float64())))
	}
	return centres
}
