package em

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// pointsDrawn is the number of points that stand for the rows of all participants.
const pointsDrawn = 2000

// settling is the number of times that centres move to the means of the points nearest to them.
const settling = 10

// A partition of points has the centres of its parts, and the mean squared distance of the points
// from them.
type partition struct {
	centres *mat.Dense
	square  float64
}

// cuts returns a partition for each number of clusters in sizes (PCA-Part, Su and Dy 2007). The part
// with the largest sum of squares is cut through its mean, across its first principal component,
// until there are enough parts; then their means settle. This needs no sum. Public points, drawn
// from the normal distributions that have the given moments of all rows in some clusters, stand for
// the rows.
func cuts(clusters *passes.Moments, sizes []int, rng *rand.Rand) map[int]partition {
	all := points(clusters, rng)
	parts := []*part{newPart(all)}
	out := map[int]partition{}
	for most := slices.Max(sizes); ; {
		if slices.Contains(sizes, len(parts)) {
			centres := mat.NewDense(len(parts), clusters.Dim, nil)
			for i, p := range parts {
				centres.SetRow(i, p.mean)
			}
			out[len(parts)] = settle(all, centres)
		}
		if len(parts) == most {
			return out
		}
		widest := slices.MaxFunc(parts, func(a, b *part) int { return cmp.Compare(a.squares, b.squares) })
		low, high := widest.cut()
		parts[slices.Index(parts, widest)] = low
		parts = append(parts, high)
	}
}

// settle moves centres by Lloyd's algorithm, until no point changes its centre. A centre without
// points stays.
func settle(points [][]float64, centres *mat.Dense) partition {
	k, dim := centres.Dims()
	p := partition{centres: centres}
	at := centres.RawMatrix().Data
	nearest := make([]int, len(points))
	counts, sums := make([]float64, k), make([]float64, k*dim)
	for step := range settling {
		clear(counts)
		clear(sums)
		squares, moved := 0.0, step == 0
		for n, x := range points {
			own, least := 0, math.Inf(1)
			for i := range k {
				if d := passes.SquaredDistance(x, at[i*dim:(i+1)*dim]); d < least {
					own, least = i, d
				}
			}
			counts[own]++
			sum := sums[own*dim : (own+1)*dim]
			for i, v := range x {
				sum[i] += v
			}
			squares += least
			moved = moved || nearest[n] != own
			nearest[n] = own
		}
		p.square = squares / float64(len(points))
		if !moved {
			break
		}
		for i, n := range counts {
			if n > 0 {
				floats.ScaleTo(at[i*dim:(i+1)*dim], 1/n, sums[i*dim:(i+1)*dim])
			}
		}
	}
	return p
}

// points draws points from the normal distributions of the clusters, as many for each as its share
// of the rows.
func points(clusters *passes.Moments, rng *rand.Rand) (all [][]float64) {
	total := passes.Sum(clusters.N)
	for k, n := range clusters.N {
		if count := int(pointsDrawn * n / total); n >= minRows && count > 0 {
			x := gaussianCentres(clusters.Component(k), count, rng)
			for i := range count {
				all = append(all, x.RawRowView(i))
			}
		}
	}
	if all == nil { // hardly any rows
		x := gaussianCentres(together(clusters, total), pointsDrawn, rng)
		for i := range pointsDrawn {
			all = append(all, x.RawRowView(i))
		}
	}
	return all
}

// part is a set of points.
type part struct {
	points  [][]float64
	mean    []float64
	squares float64 // Σ ‖x − mean‖²
	spread  *mat.SymDense
}

func newPart(points [][]float64) *part {
	dim := len(points[0])
	p := &part{points: points, mean: make([]float64, dim), spread: mat.NewSymDense(dim, nil)}
	for _, x := range points {
		portable.AddScaled(p.mean, 1/float64(len(points)), x)
	}
	products, d := make([]float64, dim*dim), make([]float64, dim)
	for _, x := range points {
		floats.SubTo(d, x, p.mean)
		for i, v := range d {
			portable.AddScaled(products[i*dim+i:(i+1)*dim], v, d[i:])
		}
	}
	for i := range dim {
		for j := i; j < dim; j++ {
			p.spread.SetSym(i, j, products[i*dim+j])
		}
		p.squares += products[i*dim+i]
	}
	return p
}

// cut divides the points. A part that cannot be divided is doubled, without squares.
func (p *part) cut() (low, high *part) {
	_, vectors := eigen(p.spread)
	direction := vectors.RawRowView(len(p.mean) - 1)
	along := func(x []float64) (sum float64) {
		for i, v := range direction {
			sum += float64(v * (x[i] - p.mean[i]))
		}
		return sum
	}
	var below, above [][]float64
	for _, x := range p.points {
		if along(x) < 0 {
			below = append(below, x)
		} else {
			above = append(above, x)
		}
	}
	if below == nil || above == nil {
		same := *p
		same.squares = 0
		again := same
		return &same, &again
	}
	return newPart(below), newPart(above)
}
