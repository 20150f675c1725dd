package em

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// pointsEach points stand for each row of all participants, but at least fewPoints and at most
// pointsDrawn for all rows.
const pointsEach, fewPoints, pointsDrawn = 4, 400, 2000

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
// points stays. The mean squared distance is that before the last move.
func settle(points [][]float64, centres *mat.Dense) partition {
	k, dim := centres.Dims()
	s := settler{points: points, dim: dim, centres: centres.RawMatrix().Data, near: make([]nearness, len(points)), drift: make([]float64, k)}
	counts, sums := make([]float64, k), make([]float64, k*dim)
	for step := 1; ; step++ {
		moved := s.assign()
		if !moved || step == settling {
			p := partition{centres, s.meanSquare()}
			if moved {
				s.move(counts, sums)
			}
			return p
		}
		s.move(counts, sums)
	}
}

// A settler has the state of Lloyd's algorithm. Bounds tell for most points that their centre stays
// the same, without the distances from all centres (Hamerly 2010).
type settler struct {
	points  [][]float64
	dim     int
	centres []float64 // K by M
	near    []nearness
	drift   []float64 // by how much each centre has moved last
	most    float64   // of drift
	begun   bool
}

// A nearness is the centre of a point, an upper bound of its distance, and a lower bound of the
// distance of the others.
type nearness struct {
	own          int
	least, other float64
}

// certain is a share below which rounding stays: bounds that differ by more tell which centre is
// nearer.
const certain = 1 - 1e-9

// assign finds the nearest centre of each point, the first of equal ones. It reports whether any
// is another one than before.
func (s *settler) assign() (moved bool) {
	for n, x := range s.points {
		p := &s.near[n]
		if s.begun {
			p.least, p.other = p.least+s.drift[p.own], p.other-s.most
			if p.least < p.other*certain {
				continue
			}
			if p.least = math.Sqrt(passes.SquaredDistance(x, s.centre(p.own))); p.least < p.other*certain {
				continue
			}
		}
		before := p.own
		least, other := math.Inf(1), math.Inf(1)
		for i := range s.drift {
			switch d := passes.SquaredDistance(x, s.centre(i)); {
			case d < least:
				p.own, least, other = i, d, least
			case d < other:
				other = d
			}
		}
		p.least, p.other = math.Sqrt(least), math.Sqrt(other)
		moved = moved || p.own != before
	}
	moved = moved || !s.begun
	s.begun = true
	return moved
}

func (s *settler) centre(i int) []float64 { return s.centres[i*s.dim : (i+1)*s.dim] }

// move moves each centre to the mean of its points. The slices are memory for K counts and sums.
func (s *settler) move(counts, sums []float64) {
	clear(counts)
	clear(sums)
	for n, x := range s.points {
		own := s.near[n].own
		counts[own]++
		sum := sums[own*s.dim : (own+1)*s.dim]
		for i, v := range x {
			sum[i] += v
		}
	}
	s.most = 0
	for i, n := range counts {
		s.drift[i] = 0
		if n > 0 {
			mean := sums[i*s.dim : (i+1)*s.dim]
			floats.Scale(1/n, mean)
			s.drift[i] = math.Sqrt(passes.SquaredDistance(mean, s.centre(i)))
			s.most = math.Max(s.most, s.drift[i])
			copy(s.centre(i), mean)
		}
	}
}

// meanSquare returns the mean squared distance of the points from their centres.
func (s *settler) meanSquare() float64 {
	squares := 0.0
	for n, x := range s.points {
		squares += passes.SquaredDistance(x, s.centre(s.near[n].own))
	}
	return squares / float64(len(s.points))
}

// points draws points from the normal distributions of the clusters, as many for each as its share
// of the rows.
func points(clusters *passes.Moments, rng *rand.Rand) (all [][]float64) {
	total := passes.Sum(clusters.N)
	drawn := int(math.Max(fewPoints, math.Min(pointsEach*total, pointsDrawn)))
	all = make([][]float64, 0, drawn)
	for k, n := range clusters.N {
		if count := int(float64(drawn) * n / total); n >= minRows && count > 0 {
			x := newNormal(clusters.Component(k)).draw(count, rng)
			for i := range count {
				all = append(all, x.RawRowView(i))
			}
		}
	}
	if len(all) == 0 { // hardly any rows
		x := newNormal(together(clusters, total)).draw(drawn, rng)
		for i := range drawn {
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
}

func newPart(points [][]float64) *part {
	dim := len(points[0])
	p := &part{points: points, mean: make([]float64, dim)}
	for _, x := range points {
		blas.AddScaled(p.mean, 1/float64(len(points)), x)
	}
	squares := make([]float64, dim)
	for _, x := range points {
		for i, v := range x {
			d := v - p.mean[i]
			squares[i] += float64(d * d)
		}
	}
	for _, v := range squares {
		p.squares += v
	}
	return p
}

// spread returns the sums of the products of the points less their mean.
func (p *part) spread() *mat.SymDense {
	dim := len(p.mean)
	products, d := make([]float64, dim*dim), make([]float64, dim)
	for _, x := range p.points {
		for i, v := range x {
			d[i] = v - p.mean[i]
		}
		for i, v := range d {
			blas.AddScaled(products[i*dim+i:(i+1)*dim], v, d[i:])
		}
	}
	return mat.NewSymDense(dim, products) // which reads the upper triangle
}

// powers is the number of steps towards a principal component.
const powers = 50

// principal returns the direction in which a positive semi-definite matrix is largest, by the power
// method. If others are nearly as large, it is between them. Its length is the largest eigenvalue. The
// largest entry is positive.
func principal(s *mat.SymDense) []float64 {
	rows := mat.DenseCopyOf(s)
	direction, next := make([]float64, s.SymmetricDim()), make([]float64, s.SymmetricDim())
	for i := range direction { // all entries differ, so that hardly any component is missed
		direction[i] = portable.Norm(rows.RawRowView(i)) * (1 + 1/float64(i+1))
	}
	for range powers {
		norm := portable.Norm(direction)
		if norm == 0 {
			break
		}
		clear(next)
		for i, v := range direction {
			blas.AddScaled(next, v/norm, rows.RawRowView(i))
		}
		direction, next = next, direction
	}
	if slices.Max(direction) < -slices.Min(direction) {
		floats.Scale(-1, direction)
	}
	return direction
}

// cut divides the points. A part that cannot be divided is doubled, without squares.
func (p *part) cut() (low, high *part) {
	direction := principal(p.spread())
	along := func(x []float64) (sum float64) {
		for i, v := range direction {
			sum += float64(v * (x[i] - p.mean[i]))
		}
		return sum
	}
	side, count := make([]bool, len(p.points)), 0
	for i, x := range p.points {
		if side[i] = along(x) < 0; side[i] {
			count++
		}
	}
	below, above := make([][]float64, 0, count), make([][]float64, 0, len(p.points)-count)
	for i, x := range p.points {
		if side[i] {
			below = append(below, x)
		} else {
			above = append(above, x)
		}
	}
	if len(below) == 0 || len(above) == 0 {
		same := *p
		same.squares = 0
		again := same
		return &same, &again
	}
	return newPart(below), newPart(above)
}
