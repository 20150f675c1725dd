package rows

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// perColumn is the number of columns that a window makes from one: values, means and
// deviations. Columns of one kind stand together, in the order of the data's columns.
const perColumn = 3

// Bounds of the rows of a window, which is in memory once per core.
const (
	LeastWindow = 2
	MostWindow  = 10_000
)

// WindowColumns returns the names of the columns that a window of w rows makes from the data's
// columns. If w is not above 0, there is no window and the names stay the same.
func WindowColumns(columns []string, w int) []string {
	if w <= 0 {
		return columns
	}
	out := slices.Clone(columns)
	for _, kind := range WindowKinds(w)[1:] {
		for _, c := range columns {
			out = append(out, fmt.Sprintf("%s (%s)", c, kind))
		}
	}
	return out
}

// WindowKinds returns the names of the kinds of columns that a window of w rows makes.
func WindowKinds(w int) []string {
	return []string{"value", fmt.Sprintf("mean of %d", w), fmt.Sprintf("deviation of %d", w)}
}

// DataColumns is the inverse of [WindowColumns].
func DataColumns(columns []string, w int) []string {
	if w <= 0 {
		return columns
	}
	return columns[:len(columns)/perColumn]
}

// derived is how columns are made from a window.
type derived struct {
	w    int  // its rows
	full bool // the mean and the deviation are NaN if there are fewer
}

// A window is the rows of a source with means and deviations of the rows before.
type window struct {
	derived
	source collabdict.Rows
	begins []int // rows that begin a window, ascending from 0

	mu sync.Mutex
	// ends holds the last rows of earlier reads, for reads that continue there.
	ends []ending
}

// ending is up to w−1 rows before row next.
type ending struct {
	next int
	rows []float64
}

// mostEnds is the number of readers that a pass has at a time.
const mostEnds = 32

// Dims returns the number of rows and of columns.
func (r *window) Dims() (n, m int) {
	n, m = r.source.Dims()
	return n, m * perColumn
}

// ReadRows fills x with rows of the source and their windows, beginning at row from.
func (r *window) ReadRows(x []float64, from int) error {
	n, m := r.source.Dims()
	if len(x)%(m*perColumn) != 0 {
		panic("rows: want room for whole rows")
	}
	if origin := r.Origin(); origin != nil {
		return origin.Read(x, from, n, m*perColumn)
	}
	end := r.endBefore(from, m)
	lead := len(end) / m
	values := make([]float64, (r.w-1+lanes.BlockRows)*m)
	copy(values, end)
	for len(x) > 0 {
		n := min(len(x)/(m*perColumn), lanes.BlockRows)
		known := lead
		if end == nil { // no earlier read ended here
			known = 0
			lead = from - r.first(from)
		}
		block := values[:(lead+n)*m]
		if err := r.source.ReadRows(block[known*m:], from-lead+known); err != nil {
			return err
		}
		for i := range n {
			first := r.first(from+i) - (from - lead)
			r.derive(x[i*m*perColumn:(i+1)*m*perColumn], block[first*m:(lead+i+1)*m], m)
		}
		x, from = x[n*m*perColumn:], from+n
		next := min(r.w-1, lead+n)
		end = values[:copy(values, block[(lead+n-next)*m:])]
		lead = next
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.ends) == mostEnds {
		r.ends = slices.Delete(r.ends, 0, 1)
	}
	r.ends = append(r.ends, ending{from, slices.Clone(end)})
	return nil
}

// first returns the first row of a row's window.
func (r *window) first(row int) int {
	begin := 0
	if at, found := slices.BinarySearch(r.begins, row); found {
		begin = row
	} else if at > 0 {
		begin = r.begins[at-1]
	}
	return max(begin, row-r.w+1)
}

// endBefore returns the rows kept before the given row, or nil.
func (r *window) endBefore(row, m int) []float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, e := range r.ends {
		if e.next == row && len(e.rows)/m >= row-r.first(row) {
			r.ends = slices.Delete(r.ends, i, i+1)
			return e.rows
		}
	}
	return nil
}

// derive writes the last row of a window of m columns, with means and deviations.
func (d derived) derive(dst, window []float64, m int) {
	if d.full && len(window) < d.w*m {
		for j := range copy(dst, window[len(window)-m:]) {
			dst[m+j], dst[2*m+j] = math.NaN(), math.NaN()
		}
		return
	}
	derive(dst, window, m)
}

// derive writes the last row of a window of m columns, with means and deviations. It sums
// differences from the first value, so that a constant column has deviation 0 exactly.
func derive(dst, window []float64, m int) {
	n := float64(len(window) / m)
	first, last := window[:m], window[len(window)-m:]
	mean, deviation := dst[m:2*m], dst[2*m:3*m]
	copy(dst, last)
	clear(dst[m:])
	for rest := window; len(rest) > 0; rest = rest[m:] {
		for j, v := range rest[:m] {
			mean[j] += v - first[j]
		}
	}
	for j := range mean {
		mean[j] = first[j] + mean[j]/n
	}
	for rest := window; len(rest) > 0; rest = rest[m:] {
		for j, v := range rest[:m] {
			deviation[j] += float64((v - mean[j]) * (v - mean[j]))
		}
	}
	for j, v := range deviation {
		deviation[j] = math.Sqrt(v / n)
		if math.IsNaN(v) {
			mean[j], deviation[j] = present(window[j:], m)
		}
	}
}

// present returns the mean and deviation of every m-th cell, NaN cells excluded. Both are NaN
// if no cell is left.
func present(window []float64, m int) (mean, deviation float64) {
	var there []float64
	for i := 0; i < len(window); i += m {
		if v := window[i]; !math.IsNaN(v) {
			there = append(there, v)
		}
	}
	if there == nil {
		return math.NaN(), math.NaN()
	}
	dst := make([]float64, perColumn)
	derive(dst, there, 1)
	return dst[1], dst[2]
}

// A Roll computes windowed rows from a stream of rows.
type Roll struct {
	derived
	m      int
	recent []float64 // rows of the present window, and of the one before
}

// NewRoll returns a Roll with windows of w rows of m columns. full is as for [Windowed].
func NewRoll(w, m int, full bool) *Roll { return &Roll{derived: derived{w, full}, m: m} }

// Restart begins a new window.
func (r *Roll) Restart() { r.recent = r.recent[:0] }

// Add returns the next row in the form of [Windowed]. It is valid until the next call.
func (r *Roll) Add(dst, row []float64) []float64 {
	if len(r.recent) == 2*r.w*r.m {
		r.recent = r.recent[:copy(r.recent, r.recent[(r.w+1)*r.m:])]
	}
	r.recent = append(r.recent, row...)
	dst = slices.Grow(dst[:0], perColumn*r.m)[:perColumn*r.m]
	r.derive(dst, r.recent[max(0, len(r.recent)-r.w*r.m):], r.m)
	return dst
}

// Recent returns the rows that the next row's window has besides it, if it goes on.
func (r *Roll) Recent() iter.Seq[[]float64] {
	return slices.Chunk(r.recent[max(0, len(r.recent)-(r.w-1)*r.m):], r.m)
}
