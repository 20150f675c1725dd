package dataset

import (
	"fmt"
	"math"
	"slices"
)

// extremes are the values of a column at both ends.
type extremes struct {
	low, high ends // high holds negated values
	count     int  // of all values
}

func (e *extremes) add(v float64) {
	e.low.add(v, 1)
	e.high.add(-v, 1)
	e.count++
}

// join adds the values of other rows.
func (e *extremes) join(o *extremes) {
	for i := range o.low.n {
		e.low.add(o.low.values[i], o.low.counts[i])
	}
	for i := range o.high.n {
		e.high.add(o.high.values[i], o.high.counts[i])
	}
	e.count += o.count
}

// ends holds the smallest distinct values, each with its count.
type ends struct {
	values [5]float64
	counts [5]int
	n      int
}

func (e *ends) add(v float64, times int) {
	i := 0
	for i < e.n && e.values[i] < v {
		i++
	}
	switch {
	case i < e.n && e.values[i] == v:
		e.counts[i] += times
		return
	case i == len(e.values):
		return
	}
	e.n = min(e.n+1, len(e.values))
	copy(e.values[i+1:e.n], e.values[i:])
	copy(e.counts[i+1:e.n], e.counts[i:])
	e.values[i], e.counts[i] = v, times
}

// codes are values often used to mark missing ones.
var codes = []float64{32767, 32768, 65535, 99, 999, 9999, 99999, 999999, 9999999, 999.25, 2147483647, 2147483648, 4294967295}

// sentinels returns values at either end that are far from the others, in terms of the others' range: five
// times for codes, a hundred times for other values that are repeated.
func (e *extremes) sentinels() (out []string) {
	low, high := &e.low, &e.high
	apart := func(v float64, n int, gap, spread float64) bool {
		least, far := 5, 100.0
		if size := math.Abs(v); size >= 1e20 || slices.Contains(codes, size) {
			least, far = 1, 5
		}
		return n >= least && 2*n < e.count && spread > 0 && gap > far*spread
	}
	for i, j, more := 0, 0, true; more; {
		more = false
		if i+3 < low.n {
			spread := -high.values[j] - low.values[i+1]
			if apart(low.values[i], low.counts[i], low.values[i+1]-low.values[i], spread) {
				out = append(out, times(low.values[i], low.counts[i]))
				i, more = i+1, true
			}
		}
		if j+3 < high.n {
			spread := -high.values[j+1] - low.values[i]
			if apart(high.values[j], high.counts[j], high.values[j+1]-high.values[j], spread) {
				out = append(out, times(-high.values[j], high.counts[j]))
				j, more = j+1, true
			}
		}
	}
	return out
}

func times(v float64, n int) string {
	if n == 1 {
		return fmt.Sprintf("%g occurs once", v)
	}
	return fmt.Sprintf("%g occurs %d times", v, n)
}
