package rows

import (
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/collabdict/collabdict"
)

// subset is a selection of rows, in their order.
type subset struct {
	of    collabdict.Rows
	index []int // ascending
}

// Subset returns the rows with the given indices, which must ascend.
func Subset(of collabdict.Rows, index []int) collabdict.Rows {
	if !slices.IsSorted(index) {
		panic("rows: want numbers that ascend")
	}
	return subset{of, index}
}

// Without returns all rows except those with the given indices, which must ascend. Its memory
// grows with the number of indices, not of rows.
func Without(of collabdict.Rows, index []int) collabdict.Rows {
	if !slices.IsSorted(index) {
		panic("rows: want numbers that ascend")
	}
	return without{of, index}
}

// Whole returns the rows that a subset was taken from, or x if it is no subset.
func Whole(x collabdict.Rows) collabdict.Rows {
	for {
		switch r := x.(type) {
		case subset:
			x = r.of
		case without:
			x = r.of
		case *until:
			x = r.Rows
		default:
			return x
		}
	}
}

// permuted bounds the numbers in memory for a draw by permutation.
const permuted = 500_000

// Drawn returns count of the numbers below n, in ascending order, drawn by seed.
func Drawn(n, count int, seed uint64) []int {
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	if n <= permuted {
		drawn := random.Perm(n)[:count]
		slices.Sort(drawn)
		return drawn
	}
	drawn := make([]int, 0, count) // Each number is drawn with its probability given the draws so far.
	for i := 0; len(drawn) < count; i++ {
		if random.IntN(n-i) < count-len(drawn) {
			drawn = append(drawn, i)
		}
	}
	return drawn
}

// Dims returns the number of rows and of columns.
func (s subset) Dims() (n, m int) {
	_, m = s.of.Dims()
	return len(s.index), m
}

// ReadRows fills x with rows, beginning at row from.
func (s subset) ReadRows(x []float64, from int) error {
	_, width := s.of.Dims()
	return readAt(s.of, x, s.index[from:from+len(x)/width])
}

// without is all rows except some, in their order.
type without struct {
	of    collabdict.Rows
	index []int // indices left out, ascending
}

// Dims returns the number of rows and of columns.
func (w without) Dims() (n, m int) {
	n, m = w.of.Dims()
	return n - len(w.index), m
}

// ReadRows fills x with rows, beginning at row from.
func (w without) ReadRows(x []float64, from int) error {
	_, width := w.of.Dims()
	// number of rows left out before the first
	before := sort.Search(len(w.index), func(i int) bool { return w.index[i]-i > from })
	at, index := from+before, make([]int, 0, min(len(x)/width, PerBlock))
	for len(x) > 0 {
		index = index[:0]
		for ; len(index) < min(len(x)/width, PerBlock); at++ {
			if before < len(w.index) && w.index[before] == at {
				before++
				continue
			}
			index = append(index, at)
		}
		if err := readAt(w.of, x[:len(index)*width], index); err != nil {
			return err
		}
		x = x[len(index)*width:]
	}
	return nil
}

// apart bounds the rows read per wanted row. On disk, reading past a few rows is faster than
// seeking.
const apart = 8

// readAt fills x with the rows at the given indices. It reads rows that are close together at
// once, up to a block.
func readAt(of collabdict.Rows, x []float64, index []int) error {
	_, width := of.Dims()
	var room []float64
	for len(x) > 0 {
		first, n := index[0], 1
		for most := len(x) / width; n < most; n++ {
			if span := index[n] - first + 1; span > apart*(n+1) || span > PerBlock && span > n+1 {
				break
			}
		}
		if index[n-1] == first+n-1 { // no other between
			if err := of.ReadRows(x[:n*width], first); err != nil {
				return err
			}
		} else {
			span := index[n-1] - first + 1
			if len(room) < span*width {
				room = make([]float64, span*width)
			}
			if err := of.ReadRows(room[:span*width], first); err != nil {
				return err
			}
			for i, at := range index[:n] {
				copy(x[i*width:(i+1)*width], room[(at-first)*width:])
			}
		}
		x, index = x[n*width:], index[n:]
	}
	return nil
}
