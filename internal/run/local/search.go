package local

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
	"github.com/collabdict/collabdict/internal/numeric/partial"
)

const (
	fewestSearched = 256 // kept rows from which on a search is faster than comparing with all
	searchedAtOnce = 128 // rows per product
	searchedAmong  = 512 // kept rows per product, so that it stays in the cache
	// farNorms is the multiple of the median norm above which a kept row is compared with each row:
	// its rounding errors would hide the differences between the others.
	farNorms = 8
	// underflow exceeds the error of products that are too small for single precision.
	underflow = 1e-36
)

// A search finds, among kept rows y, few rows that include the nearest ones of a row x. It computes
// ‖y‖² − 2x·y for all y by products in single precision, with x and y relative to the medians. The
// error of each is bounded, so a row whose value is above the third smallest by twice the bound is
// not among the nearest three.
type search struct {
	centre  []float64
	rows    []float32 // rows relative to centre, the far ones left out
	squares []float32 // their squared norms
	index   []int     // their indices
	far     []int     // indices of the far rows
	largest float64   // the largest norm of the rows

	spare sync.Pool // of *searching
}

// searching is what a search for some rows needs. It is used again, since it is large.
type searching struct {
	block    []float32 // the rows relative to the centre
	products []float32
	rows     [searchedAtOnce]nearestThree
}

// newSearch returns nil if all rows should be compared: if there are few, or values whose squares
// are out of the range of single precision.
func newSearch(x *mat.Dense) *search {
	n, dim := x.Dims()
	if n < fewestSearched {
		return nil
	}
	s := &search{}
	column := make([]float64, n)
	for j := range dim {
		for i := range column {
			column[i] = x.At(i, j)
		}
		slices.Sort(column)
		s.centre = append(s.centre, column[n/2])
	}
	norms := make([]float64, n)
	for i := range n {
		norms[i] = math.Sqrt(squareBelow(x.RawRowView(i), s.centre, math.Inf(1)))
	}
	median := slices.Sorted(slices.Values(norms))[n/2]
	for i, norm := range norms {
		if !(norm <= farNorms*median) {
			s.far = append(s.far, i)
			continue
		}
		s.index, s.largest = append(s.index, i), math.Max(s.largest, norm)
		s.squares = append(s.squares, float32(norm*norm))
		s.rows = s.relative(s.rows, x.RawRowView(i))
	}
	if len(s.far) > n/8 || !(s.largest < 1e15) {
		return nil
	}
	return s
}

// relative appends a row relative to the centre.
func (s *search) relative(to []float32, row []float64) []float32 {
	for j, v := range row {
		to = append(to, float32(v-s.centre[j]))
	}
	return to
}

// searched computes the scores of len(out) rows of x, from first on, with the same bits as
// [Nearest.score]. All can be searched for.
func (n *Nearest) searched(x *mat.Dense, first int, own bool, out []float64) {
	s := n.search
	_, dim := x.Dims()
	w, _ := s.spare.Get().(*searching)
	if w == nil {
		w = &searching{products: make([]float32, searchedAtOnce*searchedAmong)}
	}
	defer s.spare.Put(w)
	w.block = w.block[:0]
	for i := range out {
		row := x.RawRowView(first + i)
		w.block = s.relative(w.block, row)
		norm := math.Sqrt(squareBelow(row, s.centre, math.Inf(1)))
		w.rows[i].start(s.slack(norm, dim))
	}
	for from := 0; from < len(s.index); from += searchedAmong {
		count := min(searchedAmong, len(s.index)-from)
		for i := range out {
			copy(w.products[i*count:(i+1)*count], s.squares[from:from+count])
		}
		kernels.Implementation{}.Sgemm(blas.NoTrans, blas.Trans, len(out), count, dim, -2, w.block, dim, s.rows[from*dim:], dim, 1, w.products, count)
		for i := range out {
			self := -1
			if own {
				self = first + i
			}
			w.rows[i].collect(w.products[i*count:(i+1)*count], s.index[from:from+count], self)
		}
	}
	for i := range out {
		row := x.RawRowView(first + i)
		self := -1
		if own {
			self = first + i
		}
		b := best{below: squareBelow}
		for _, near := range w.rows[i].near {
			if near.value <= w.rows[i].limit {
				b.add(row, n.rows.RawRowView(near.index))
			}
		}
		for _, j := range s.far {
			if j != self {
				b.add(row, n.rows.RawRowView(j))
			}
		}
		out[i] = b.score(1)
	}
}

// slack returns twice the bound of the error of ‖y‖² − 2x·y, for ‖x‖ = norm. Each rounded value and each
// step of a sum adds 2⁻²⁴ to its relative error, so the sum of dim products has (dim+4)·2⁻²⁴ at most.
func (s *search) slack(norm float64, dim int) float32 {
	bound := float64(dim+8) * 0x1p-23 * (s.largest*s.largest + 2*norm*s.largest)
	return float32(math.Min(2*bound+underflow, math.MaxFloat32))
}

// nearestThree follows the three smallest of some values.
type nearestThree struct {
	smallest [neighbours]float32
	slack    float32
	limit    float32     // a row with a larger value is not among the nearest
	near     []candidate // rows that may be among the nearest
}

// A candidate is a kept row, by its index, and its value.
type candidate struct {
	index int
	value float32
}

func (t *nearestThree) start(slack float32) {
	t.slack, t.limit, t.near = slack, float32(math.Inf(1)), t.near[:0]
	for k := range t.smallest {
		t.smallest[k] = float32(math.Inf(1))
	}
}

// collect takes values of the kept rows with the given indices. It leaves self out.
func (t *nearestThree) collect(values []float32, index []int, self int) {
	limit := t.limit
	for k, v := range values {
		if v > limit || index[k] == self {
			continue
		}
		t.near = append(t.near, candidate{index[k], v})
		if v < t.smallest[neighbours-1] {
			at := neighbours - 1
			for ; at > 0 && t.smallest[at-1] > v; at-- {
				t.smallest[at] = t.smallest[at-1]
			}
			t.smallest[at] = v
			limit = t.smallest[neighbours-1] + t.slack
		}
	}
	t.limit = limit
}

// isSearched reports whether a search can find the nearest rows of a row: all cells are there, and
// squares are in the range of single precision.
func (s *search) isSearched(row []float64) bool {
	if partial.Any(row) {
		return false
	}
	square := 0.0
	for j, v := range row {
		d := v - s.centre[j]
		square += float64(d * d)
	}
	return square < 1e30
}

// searchAll scores the rows of x. Those that cannot be searched for are compared with all kept rows.
func (n *Nearest) searchAll(x *mat.Dense, own bool, out []float64) {
	count := len(out)
	parallel.For((count+searchedAtOnce-1)/searchedAtOnce, func(b int) {
		from, to := b*searchedAtOnce, min(count, (b+1)*searchedAtOnce)
		for i := from; i < to; i++ {
			if !n.search.isSearched(x.RawRowView(i)) {
				n.compareEach(x, from, to, own, out)
				return
			}
		}
		n.searched(x, from, own, out[from:to])
	})
}
