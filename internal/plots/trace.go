package plots

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
)

// A Trace keeps what a drawing shows of values over time. It divides the time from the first value
// to the last into cells that are about as wide as a pixel, and holds the least and the greatest
// value of each cell, so its size does not depend on the number of values. Times may have gaps and
// any order.
type Trace struct {
	cells      int // the least number of cells that the whole time has; the greatest is twice that
	start      float64
	width      float64 // of a cell, 0 until two times differ
	first, end int     // the cells are from first to before end
	at         map[int]*traceCell
}

// A traceCell has the values of the times in a cell.
type traceCell struct {
	time      float64   // that of the values added first
	low, high []float64 // of each value; NaN if it is always NaN
}

// NewTrace returns a trace that is to be drawn with at least the given number of cells.
func NewTrace(cells int) *Trace { return &Trace{cells: cells, at: map[int]*traceCell{}} }

// Add adds the values at a time, always the same number of them. Values may be NaN. Add leaves out
// times that are not finite.
func (t *Trace) Add(time float64, values []float64) {
	if len(t.at) == 0 {
		t.start = time
	}
	since := time - t.start
	if math.IsNaN(since) || math.IsInf(since, 0) {
		return
	}
	if t.width == 0 {
		t.width = math.Abs(since) / float64(t.cells)
	}
	for !t.fits(since) {
		t.widen()
	}
	i := t.place(since)
	t.first, t.end = min(t.first, i), max(t.end, i+1)
	if c, ok := t.at[i]; ok {
		c.extend(values, values)
		return
	}
	t.at[i] = &traceCell{time, slices.Clone(values), slices.Clone(values)}
}

// place returns the cell of a time since the start.
func (t *Trace) place(since float64) int {
	if t.width == 0 {
		return 0
	}
	return int(math.Floor(since / t.width))
}

// fits reports whether the trace has few enough cells with a time since the start.
func (t *Trace) fits(since float64) bool {
	most := 2 * t.cells
	if t.width > 0 && !(math.Abs(since/t.width) < float64(most)) {
		return false
	}
	i := t.place(since)
	return max(t.end, i+1)-min(t.first, i) <= most
}

// widen makes the cells twice as wide.
func (t *Trace) widen() {
	wide := make(map[int]*traceCell, t.cells)
	for _, i := range slices.Sorted(maps.Keys(t.at)) {
		if c, ok := wide[i>>1]; ok {
			c.extend(t.at[i].low, t.at[i].high)
		} else {
			wide[i>>1] = t.at[i]
		}
	}
	t.at, t.width, t.first, t.end = wide, 2*t.width, t.first>>1, (t.end+1)>>1
}

// extend includes values in a cell.
func (c *traceCell) extend(low, high []float64) {
	for v := range c.low {
		if !(c.low[v] <= low[v]) && !math.IsNaN(low[v]) {
			c.low[v] = low[v]
		}
		if !(c.high[v] >= high[v]) && !math.IsNaN(high[v]) {
			c.high[v] = high[v]
		}
	}
}

// inTime returns the cells in the order of time.
func (t *Trace) inTime() []*traceCell {
	all := make([]*traceCell, 0, len(t.at))
	for _, i := range slices.Sorted(maps.Keys(t.at)) {
		all = append(all, t.at[i])
	}
	return all
}

// Span returns the first and the last time.
func (t *Trace) Span() Span {
	all := t.inTime()
	if len(all) == 0 {
		return Span{}
	}
	return Span{all[0].time, all[len(all)-1].time}
}

// Bounds returns the least and the greatest finite one of some values; low is above high if there
// are none.
func (t *Trace) Bounds(values ...int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, c := range t.at {
		for _, i := range values {
			for _, v := range []float64{c.low[i], c.high[i]} {
				if v-v == 0 {
					low, high = math.Min(low, v), math.Max(high, v)
				}
			}
		}
	}
	return low, high
}

// middle returns the median of a value, NaN if it is always NaN.
func (t *Trace) middle(value int) float64 {
	var all []float64
	for _, c := range t.at {
		if v := c.high[value]; !math.IsNaN(v) {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return math.NaN()
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// gapSteps is the number of usual steps of time from which on a step is a gap.
const gapSteps = 10

// lines returns the lines of a value. They end at gaps in time, and where the value is NaN. Those
// below low or above high are drawn there.
func (t *Trace) lines(value int, low, high float64) (all []plotter.XYs) {
	cells := t.inTime()
	var steps []float64
	for i, c := range cells[min(1, len(cells)):] {
		steps = append(steps, c.time-cells[i].time)
	}
	slices.Sort(steps)
	var line plotter.XYs
	end := func() {
		if len(line) > 0 {
			all = append(all, line)
		}
		line = nil
	}
	for i, c := range cells {
		if i > 0 && c.time-cells[i-1].time > gapSteps*steps[len(steps)/2] {
			end()
		}
		if math.IsNaN(c.low[value]) {
			end()
			continue
		}
		from, to := min(max(c.low[value], low), high), min(max(c.high[value], low), high)
		if n := len(line); n > 0 && math.Abs(line[n-1].Y-to) < math.Abs(line[n-1].Y-from) {
			from, to = to, from
		}
		line = append(line, plotter.XY{X: c.time, Y: from})
		if from != to {
			line = append(line, plotter.XY{X: c.time, Y: to})
		}
	}
	end()
	return all
}
