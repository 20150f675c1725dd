package metrics

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// SilhouetteRows bounds the rows of Silhouette, which compares all pairs.
const SilhouetteRows = 5000

// Silhouette returns the mean over rows of (b − a)/max(a, b) (Rousseeuw 1987). For each row, a
// is the mean distance to the other rows of its cluster, and b the smallest mean distance to the
// rows of another. A row alone in its cluster counts 0. If there are more than SilhouetteRows
// rows, a sample drawn by seed counts. The result ok is false unless the sample has two
// clusters, one of them with two rows. There is one label per row of x.
func Silhouette[L comparable](x *mat.Dense, labels []L, seed uint64) (value float64, ok bool) {
	rows, _ := x.Dims()
	if rows != len(labels) {
		panic("metrics: rows and labels have different numbers")
	}
	taken := make([]int, rows)
	for i := range taken {
		taken[i] = i
	}
	if rows > SilhouetteRows {
		taken = rand.New(rand.NewPCG(seed, 0)).Perm(rows)[:SilhouetteRows]
	}
	number := make(map[L]int) // number of a cluster, in order of appearance
	cluster := make([]int, len(taken))
	var sizes []float64
	for i, j := range taken {
		c, known := number[labels[j]]
		if !known {
			c = len(sizes)
			number[labels[j]], sizes = c, append(sizes, 0)
		}
		cluster[i] = c
		sizes[c]++
	}
	if len(sizes) < 2 || len(sizes) == len(taken) {
		return 0, false
	}
	each := make([]float64, len(taken))
	parallel.For(len(taken), func(i int) {
		sums := make([]float64, len(sizes))
		row := x.RawRowView(taken[i])
		for j, at := range taken {
			sums[cluster[j]] += distance(row, x.RawRowView(at))
		}
		each[i] = silhouette(sums, sizes, cluster[i])
	})
	return floats.Sum(each) / float64(len(each)), true
}

func distance(x, y []float64) float64 {
	sum := 0.0
	for i, v := range x {
		d := v - y[i]
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}

// silhouette returns the value of one row, given the sums of its distances to the rows of each
// cluster.
func silhouette(sums, sizes []float64, own int) float64 {
	if sizes[own] == 1 {
		return 0
	}
	a, b := sums[own]/(sizes[own]-1), math.Inf(1)
	for c, sum := range sums {
		if c != own {
			b = math.Min(b, sum/sizes[c])
		}
	}
	if a == b { // 0 both, maybe
		return 0
	}
	return (b - a) / math.Max(a, b)
}
