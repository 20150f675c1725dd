package local

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
	"github.com/collabdict/collabdict/internal/numeric/partial"
)

// Bounds of the rows kept: mostRows, and fewer if rows are wide (mostValues), so that scoring a
// row takes milliseconds.
const (
	mostRows   = 10_000
	mostValues = 1 << 20
)

// neighbours is the number of nearest rows that count.
const neighbours = 3

// Nearest scores a row by its mean distance to the nearest of the kept rows. If m of a row's M
// cells are present, the squared distance over these is multiplied by M/m. A row without cells
// scores NaN.
type Nearest struct {
	rows   *mat.Dense
	search *search // nil to compare with all rows

	once  sync.Once
	known *Known
}

// Kept returns the indices of the rows to keep out of n, in ascending order: all, or a draw by
// seed.
func Kept(n, width int, seed uint64) []int {
	most := max(1, min(mostRows, mostValues/max(1, width)))
	return rows.Drawn(n, min(n, most), seed)
}

// NewNearest returns the scorer for at least two rows, which it keeps.
func NewNearest(x *mat.Dense) *Nearest { return &Nearest{rows: x, search: newSearch(x)} }

// Rows returns the kept rows. The caller must not change them.
func (n *Nearest) Rows() *mat.Dense { return n.rows }

// EachScores calls f with the scores of blocks of rows; from is the index of the first row of a
// block.
func (n *Nearest) EachScores(of collabdict.Rows, f func(from int, scores []float64)) error {
	return rows.Each(of, func(x *mat.Dense, from int) error {
		f(from, n.scores(x, false))
		return nil
	})
}

// LeftOut returns the score of each kept row by the others. as holds the kept rows before
// missing cells were filled in, or is nil.
func (n *Nearest) LeftOut(as *mat.Dense) []float64 {
	if as == nil {
		as = n.rows
	}
	return n.scores(as, true)
}

// scores returns the scores of the rows of x. If own is true, these are the kept rows, and no
// row is compared with itself.
func (n *Nearest) scores(x *mat.Dense, own bool) []float64 {
	count, _ := x.Dims()
	out := make([]float64, count)
	if n.search != nil {
		n.searchAll(x, own, out)
		return out
	}
	parallel.For(count, func(i int) { n.compareEach(x, i, i+1, own, out) })
	return out
}

// compareEach scores some rows of x by comparing them with all kept rows.
func (n *Nearest) compareEach(x *mat.Dense, from, to int, own bool, out []float64) {
	for i := from; i < to; i++ {
		self := -1
		if own {
			self = i
		}
		out[i] = n.score(x.RawRowView(i), self)
	}
}

func (n *Nearest) score(row []float64, self int) float64 {
	squareBelow, times := squareBelow, 1.0
	if partial.Any(row) {
		var of []int
		for j, v := range row {
			if !math.IsNaN(v) {
				of = append(of, j)
			}
		}
		if of == nil {
			return math.NaN()
		}
		times = math.Sqrt(float64(len(row)) / float64(len(of)))
		squareBelow = func(x, y []float64, bound float64) (sum float64) {
			for some := range slices.Chunk(of, stretch) {
				for _, j := range some {
					d := x[j] - y[j]
					sum += float64(d * d)
				}
				if sum >= bound {
					break
				}
			}
			return sum
		}
	}
	count, _ := n.rows.Dims()
	b := best{below: squareBelow}
	for i := range count {
		if i != self {
			b.add(row, n.rows.RawRowView(i))
		}
	}
	return b.score(times)
}

// best holds the smallest squared distances.
type best struct {
	squares [neighbours]float64 // ascending
	found   int
	below   func(x, y []float64, bound float64) float64
}

// add enters the squared distance of two rows, unless it is too large.
func (b *best) add(x, y []float64) {
	bound := math.Inf(1)
	if b.found == neighbours {
		bound = b.squares[neighbours-1]
	}
	square := b.below(x, y, bound)
	if square >= bound {
		return
	}
	at := min(b.found, neighbours-1)
	for ; at > 0 && b.squares[at-1] > square; at-- {
		b.squares[at] = b.squares[at-1]
	}
	b.squares[at] = square
	b.found = min(b.found+1, neighbours)
}

// score returns the mean distance, times a factor.
func (b *best) score(times float64) float64 {
	sum := 0.0
	for _, v := range b.squares[:b.found] {
		sum += math.Sqrt(v)
	}
	return times * sum / float64(b.found)
}

// stretch is the number of cells after which a sum of squares is compared with its bound.
const stretch = 16

// squareBelow returns ‖x−y‖² if it is below bound, and otherwise some value of at least bound.
func squareBelow(x, y []float64, bound float64) (sum float64) {
	for len(x) > stretch {
		for i, v := range x[:stretch] {
			d := v - y[i]
			sum += float64(d * d)
		}
		if sum >= bound {
			return sum
		}
		x, y = x[stretch:], y[stretch:]
	}
	for i, v := range x {
		d := v - y[i]
		sum += float64(d * d)
	}
	return sum
}
