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

// ReadRows fills x with the rows from row from on, those that are neighbours at once.
func (s subset) ReadRows(x []float64, from int) error {
	_, width := s.of.Dims()
	for len(x) > 0 {
		n := 1
		for n < len(x)/width && s.index[from+n] == s.index[from]+n {
			n++
		}
		if err := s.of.ReadRows(x[:n*width], s.index[from]); err != nil {
			return err
		}
		x, from = x[n*width:], from+n
	}
	return nil
}
