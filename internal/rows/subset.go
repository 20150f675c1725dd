package rows

import (
	"slices"

	"github.com/collabdict/collabdict"
)

// subset is some of the rows, in their order.
type subset struct {
	of    collabdict.Rows
	index []int // ascending
}

// Subset returns the rows with the given numbers, which ascend.
func Subset(of collabdict.Rows, index []int) collabdict.Rows {
	if !slices.IsSorted(index) {
		panic("rows: want numbers that ascend")
	}
	return subset{of, index}
}

// Without returns the rows but those with the given numbers, which ascend.
func Without(of collabdict.Rows, index []int) collabdict.Rows {
	n, _ := of.Dims()
	rest := make([]int, 0, n-len(index))
	for i := range n {
		if len(index) > 0 && index[0] == i {
			index = index[1:]
			continue
		}
		rest = append(rest, i)
	}
	return Subset(of, rest)
}

// Dims returns the number of rows and of columns.
func (s subset) Dims() (n, m int) {
	_, m = s.of.Dims()
	return len(s.index), m
}

// apart is how many rows are read at most for each that is wanted: to go through a few others
// is faster, where rows are on disk, than to begin anew behind them.
const apart = 8

// ReadRows fills x with the rows from row from on. Rows with few others between are read at
// once, up to a block of them.
func (s subset) ReadRows(x []float64, from int) error {
	_, width := s.of.Dims()
	var room []float64
	for len(x) > 0 {
		first, n := s.index[from], 1
		for most := len(x) / width; n < most; n++ {
			if span := s.index[from+n] - first + 1; span > apart*(n+1) || span > PerBlock && span > n+1 {
				break
			}
		}
		if s.index[from+n-1] == first+n-1 { // no other between
			if err := s.of.ReadRows(x[:n*width], first); err != nil {
				return err
			}
		} else {
			span := s.index[from+n-1] - first + 1
			if room == nil {
				room = make([]float64, PerBlock*width)
			}
			if err := s.of.ReadRows(room[:span*width], first); err != nil {
				return err
			}
			for i, at := range s.index[from : from+n] {
				copy(x[i*width:(i+1)*width], room[(at-first)*width:])
			}
		}
		x, from = x[n*width:], from+n
	}
	return nil
}
