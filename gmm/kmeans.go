package gmm

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

const maxLloyd = 100

// KMeans clusters the rows of x by Lloyd's algorithm from a greedy k-means++ start (Arthur and
// Vassilvitskii 2007) and returns the k by M centres. k must be from 1 to the number of rows.
// If x has fewer than k distinct rows, some centres coincide.
func KMeans(x *mat.Dense, k int, src rand.Source) *mat.Dense {
	return Lloyd(x, PlusPlus(x, k, src))
}

// PlusPlus draws k rows of x as centres. For each centre it draws 2 + ln k rows, with
// probability proportional to the squared distance to the nearest centre so far. It keeps the
// row that leaves the smallest sum of these distances.
func PlusPlus(x *mat.Dense, k int, src rand.Source) *mat.Dense {
	rows, dim := x.Dims()
	rng := rand.New(src)
	centres := mat.NewDense(k, dim, nil)
	distance := make([]float64, rows)
	floats.AddConst(math.Inf(1), distance)
	first := x.RawRowView(rng.IntN(rows))
	centres.SetRow(0, first)
	distance = nearer(x, first, distance)
	trials := 2 + int(math.Log(float64(k)))
	for i := 1; i < k; i++ {
		before := distance
		for trial := range trials {
			row := x.RawRowView(draw(before, rng.Float64()))
			if d := nearer(x, row, before); trial == 0 || passes.Sum(d) < passes.Sum(distance) {
				distance = d
				centres.SetRow(i, row)
			}
		}
	}
	return centres
}

// nearer returns, for every row of x, the smaller of before and the squared distance to a
// centre.
func nearer(x *mat.Dense, centre, before []float64) []float64 {
	out := make([]float64, len(before))
	_ = lanes.Each(Matrix(x), func(l *lanes.Lane) error {
		return l.Blocks(func(from int, block []float64) {
			for j := range len(block) / l.Dim {
				out[from+j] = math.Min(before[from+j], passes.SquaredDistance(block[j*l.Dim:(j+1)*l.Dim], centre))
			}
		})
	})
	return out
}
