package rows

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/parallel"
)

// perColumn is how many columns a window makes of one: values, means and deviations. Those of
// one kind stand together, in the order of the data's columns.
const perColumn = 3

// The fewest and the most rows of a window: it is in memory, once per core.
const (
	LeastWindow = 2
	MostWindow  = 10_000
)

// WindowColumns names the columns that a window of w rows makes of those of the data. Without
// a window, which is a w of 0, they are the same.
func WindowColumns(columns []string, w int) []string {
	if w == 0 {
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

// WindowKinds names what a window of w rows makes of a column.
func WindowKinds(w int) []string {
	return []string{"value", fmt.Sprintf("mean of %d", w), fmt.Sprintf("deviation of %d", w)}
}

// DataColumns returns those of the data that a window of w rows has made columns of.
func DataColumns(columns []string, w int) []string {
	if w == 0 {
		return columns
	}
	return columns[:len(columns)/perColumn]
}

// windowed is rows with the means and deviations of the rows before them.
type windowed struct {
	of     collabdict.Rows
	w      int
	begins []int // ascending, from 0: the rows with which a window begins

	mu sync.Mutex
	// ends are the last rows of what was read, for whoever reads on from there.
	ends []ending
}

// ending is up to w−1 rows before row next.
type ending struct {
	next int
	rows []float64
}

// mostEnds is how many lanes of a pass read at a time.
const mostEnds = 32

// Windowed returns the rows of x, each with the mean and the standard deviation (divided by
// the number of rows) of every column over its window: itself and the rows before it, w of
// them at most, as far as the last of begins. Cells that are NaN are missing, and do not count. A row has the same bits however it is read. No
// window goes over one of begins, which ascend; the first row begins one in any case.
func Windowed(x collabdict.Rows, w int, begins []int) collabdict.Rows {
	if w < 1 || !slices.IsSorted(begins) {
		panic("rows: want a window of at least one row, and beginnings that ascend")
	}
	return &windowed{of: x, w: w, begins: begins}
}

// Unwindowed returns the rows that windows were made of, and the rows with which windows
// begin; other rows as they are.
func Unwindowed(x collabdict.Rows) (of collabdict.Rows, begins []int) {
	if r, ok := x.(*windowed); ok {
		return r.of, r.begins
	}
	return x, nil
}

// Dims returns the number of rows and of columns.
func (r *windowed) Dims() (n, m int) {
	n, m = r.of.Dims()
	return n, m * perColumn
}

// ReadRows fills x with the rows from row from on.
func (r *windowed) ReadRows(x []float64, from int) error {
	_, m := r.of.Dims()
	if len(x)%(m*perColumn) != 0 {
		panic("rows: want room for whole rows")
	}
	end := r.endBefore(from, m)
	lead := len(end) / m
	values := make([]float64, (r.w-1+parallel.BlockRows)*m)
	copy(values, end)
	for len(x) > 0 {
		n := min(len(x)/(m*perColumn), parallel.BlockRows)
		known := lead
		if end == nil { // nobody has read up to here
			known = 0
			lead = from - r.first(from)
		}
		block := values[:(lead+n)*m]
		if err := r.of.ReadRows(block[known*m:], from-lead+known); err != nil {
			return err
		}
		for i := range n {
			first := r.first(from+i) - (from - lead)
			derive(x[i*m*perColumn:(i+1)*m*perColumn], block[first*m:(lead+i+1)*m], m)
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

// first returns the first row of the window of a row.
func (r *windowed) first(row int) int {
	begin := 0
	if at, found := slices.BinarySearch(r.begins, row); found {
		begin = row
	} else if at > 0 {
		begin = r.begins[at-1]
	}
	return max(begin, row-r.w+1)
}

// endBefore returns rows before a row that was read up to, nil if none was kept.
func (r *windowed) endBefore(row, m int) []float64 {
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

// derive writes the last row of a window of m columns, with its means and deviations. Values
// are added up less the first: those of a column that stays the same have a deviation of 0.
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

// present returns the mean and the deviation of the cells that are not NaN, of every m-th one,
// and NaN without any.
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

// Roll makes windowed rows of rows that come one by one.
type Roll struct {
	w, m   int
	recent []float64 // rows of the window, and of the one before
}

// NewRoll begins with a window of w rows of m columns.
func NewRoll(w, m int) *Roll { return &Roll{w: w, m: m} }

// Restart begins a new window.
func (r *Roll) Restart() { r.recent = r.recent[:0] }

// Add returns a row as [Windowed] does. It holds until the next.
func (r *Roll) Add(dst, row []float64) []float64 {
	if len(r.recent) == 2*r.w*r.m {
		r.recent = r.recent[:copy(r.recent, r.recent[(r.w+1)*r.m:])]
	}
	r.recent = append(r.recent, row...)
	dst = slices.Grow(dst[:0], perColumn*r.m)[:perColumn*r.m]
	derive(dst, r.recent[max(0, len(r.recent)-r.w*r.m):], r.m)
	return dst
}
