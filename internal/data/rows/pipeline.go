package rows

import (
	"context"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// A pipeline is rows that are made anew from a source whenever they are read. The fields are its
// stages, in their order; those that are nil are left out.
type pipeline struct {
	// source holds rows that were read and checked, in memory, in their files, or in a copy; or
	// such rows with their windows.
	source     collabdict.Rows
	split      *split                // keeps some of the rows
	ended      func() error          // ends a long pass by an error
	scaling    *Scaling              // maps each column
	fill       func(cells []float64) // replaces missing cells
	projection *Projection           // maps rows to axes

	last stage // the last one that is not nil
}

// A stage is the place of a stage in the order.
type stage int

const (
	toSplit stage = iota + 1
	toUntil
	toScale
	toFill
	toProject
)

// with returns x with one more stage, which set adds. Rows that have come further than that are
// the source of another pipeline.
func with(x collabdict.Rows, next stage, set func(*pipeline)) collabdict.Rows {
	out := pipeline{source: x}
	if p, ok := x.(*pipeline); ok && p.last < next {
		out = *p
	}
	out.last = next
	set(&out)
	return &out
}

// Windowed adds to each row of x the mean and the standard deviation (divisor: number of rows)
// of every column over its window. The window is the row itself and up to w−1 rows before it.
// The rows at which a new window starts are in begins, in ascending order; row 0 always starts
// one. NaN cells are missing and do not count. With full set, the mean and the standard deviation
// of a window of fewer than w rows are NaN. The result for a row has the same bits however it is
// read.
func Windowed(x collabdict.Rows, w int, begins []int, full bool) collabdict.Rows {
	if w < 1 || !slices.IsSorted(begins) {
		panic("rows: want a window of at least one row, and beginnings that ascend")
	}
	return &window{derived: derived{w, full}, source: x, begins: begins}
}

// Subset returns the rows with the given indices, which must ascend.
func Subset(x collabdict.Rows, index []int) collabdict.Rows { return selected(x, index, false) }

// Without returns all rows except those with the given indices, which must ascend. Its memory
// grows with the number of indices, not of rows.
func Without(x collabdict.Rows, index []int) collabdict.Rows { return selected(x, index, true) }

func selected(x collabdict.Rows, index []int, others bool) collabdict.Rows {
	if !slices.IsSorted(index) {
		panic("rows: want numbers that ascend")
	}
	return with(x, toSplit, func(p *pipeline) { p.split = &split{index, others} })
}

// Until returns rows whose reads fail once the context has ended, so that a long pass ends with
// it. free lifts that limit. Rows in memory are returned as they are: a pass over them is
// short.
func Until(ctx context.Context, x collabdict.Rows) (rows collabdict.Rows, free func()) {
	if _, ok := x.(Matrix); ok {
		return x, func() {}
	}
	var freed atomic.Bool
	ended := func() error {
		if freed.Load() {
			return nil
		}
		return ctx.Err()
	}
	return with(x, toUntil, func(p *pipeline) { p.ended = ended }), func() { freed.Store(true) }
}

// Rows returns the scaled rows of x. It scales them anew for each read.
func (s Scaling) Rows(x collabdict.Rows) collabdict.Rows {
	return with(x, toScale, func(p *pipeline) { p.scaling = &s })
}

// Filled returns rows whose missing cells fill replaces.
func Filled(x collabdict.Rows, fill func(cells []float64)) collabdict.Rows {
	return with(x, toFill, func(p *pipeline) { p.fill = fill })
}

// Rows returns the projected rows of x. It projects them anew for each read.
func (p *Projection) Rows(x collabdict.Rows) collabdict.Rows {
	return with(x, toProject, func(next *pipeline) { next.projection = p })
}

// Source returns the rows that x is made of.
func Source(x collabdict.Rows) collabdict.Rows {
	for {
		switch made := x.(type) {
		case *pipeline:
			x = made.source
		case *window:
			x = made.source
		default:
			return x
		}
	}
}

// Unwindowed returns the rows below [Windowed], and other rows as they are.
func Unwindowed(x collabdict.Rows) collabdict.Rows {
	if w, ok := x.(*window); ok {
		return w.source
	}
	return x
}

// Dims returns the number of rows and of columns.
func (p *pipeline) Dims() (n, m int) {
	n, m = p.source.Dims()
	if p.split != nil {
		n = p.split.count(n)
	}
	if p.projection != nil {
		m, _ = p.projection.Axes.Dims()
	}
	return n, m
}

// chosenRows are the arguments of Subset and Without.
type chosenRows struct {
	Index  []int
	Others bool
}

// windowedRows are the arguments of Windowed.
type windowedRows struct {
	W      int
	Begins []int
	Full   bool
}

// How rows on other machines become those that a pass reads.
var (
	choosing   = lanes.NewMaker("choose", func(x lanes.Rows, of chosenRows) lanes.Rows { return selected(x, of.Index, of.Others) })
	scaling    = lanes.NewMaker("scale", func(x lanes.Rows, s Scaling) lanes.Rows { return s.Rows(x) })
	projecting = lanes.NewMaker("project", func(x lanes.Rows, p *Projection) lanes.Rows { return p.Rows(x) })
	windowing  = lanes.NewMaker("window", func(x lanes.Rows, of windowedRows) lanes.Rows { return Windowed(x, of.W, of.Begins, of.Full) })
)

// Origin implements [lanes.Elsewhere].
func (p *pipeline) Origin() *lanes.Origin {
	from := lanes.OriginOf(p.source)
	if from == nil {
		return nil
	}
	if p.split != nil {
		from = choosing.Of(from, chosenRows{p.split.index, p.split.others})
	}
	if p.scaling != nil {
		from = scaling.Of(from, *p.scaling)
	}
	if p.fill != nil {
		panic("rows: a model fills cells of rows in this process only")
	}
	if p.projection != nil {
		from = projecting.Of(from, p.projection)
	}
	return from
}

// Origin implements [lanes.Elsewhere].
func (r *window) Origin() *lanes.Origin {
	return windowing.Of(lanes.OriginOf(r.source), windowedRows{r.w, r.begins, r.full})
}

// ReadRows fills x with rows that have come through all stages, beginning at row from.
func (p *pipeline) ReadRows(x []float64, from int) error {
	if origin := p.Origin(); origin != nil {
		n, dim := p.Dims()
		return origin.Read(x, from, n, dim)
	}
	if p.projection == nil {
		return p.scaled(x, from)
	}
	k, dim := p.projection.Axes.Dims()
	values := make([]float64, min(len(x)/k, lanes.BlockRows)*dim)
	for len(x) > 0 {
		n := min(len(x)/k, lanes.BlockRows)
		if err := p.scaled(values[:n*dim], from); err != nil {
			return err
		}
		p.projection.project(x[:n*k], values[:n*dim])
		x, from = x[n*k:], from+n
	}
	return nil
}

// scaled fills x with rows before the projection.
func (p *pipeline) scaled(x []float64, from int) error {
	if p.ended != nil {
		if err := p.ended(); err != nil {
			return err
		}
	}
	if err := p.chosen(x, from); err != nil {
		return err
	}
	if p.scaling != nil {
		p.scaling.scale(x, x)
	}
	if p.fill != nil {
		p.fill(x)
	}
	return nil
}

// chosen fills x with rows that the split keeps.
func (p *pipeline) chosen(x []float64, from int) error {
	if p.split == nil {
		return p.source.ReadRows(x, from)
	}
	_, width := p.source.Dims()
	for len(x) > 0 {
		n := min(len(x)/width, PerBlock)
		if err := p.readAt(x[:n*width], width, p.split.places(from, n)); err != nil {
			return err
		}
		x, from = x[n*width:], from+n
	}
	return nil
}

// far bounds the rows read per wanted row. On disk, reading past a few rows is faster than
// seeking.
const far = 8

// readAt fills x with the rows at the given places. It reads rows that are close together at
// once, up to a block. Of rows in memory, it copies no others.
func (p *pipeline) readAt(x []float64, width int, places []int) error {
	var room []float64
	apart := far
	if _, held := p.source.(Matrix); held {
		apart = 1
	}
	for len(x) > 0 {
		first, n := places[0], 1
		for ; n < len(places); n++ {
			if span := places[n] - first + 1; span > apart*(n+1) || span > PerBlock && span > n+1 {
				break
			}
		}
		span := places[n-1] - first + 1
		if span == n { // no other between
			if err := p.source.ReadRows(x[:n*width], first); err != nil {
				return err
			}
		} else {
			if len(room) < span*width {
				room = make([]float64, span*width)
			}
			if err := p.source.ReadRows(room[:span*width], first); err != nil {
				return err
			}
			for i, place := range places[:n] {
				copy(x[i*width:(i+1)*width], room[(place-first)*width:])
			}
		}
		x, places = x[n*width:], places[n:]
	}
	return nil
}

// split keeps the rows at some places, or all others.
type split struct {
	index  []int // ascending
	others bool
}

// count returns the number of rows kept of n.
func (s *split) count(n int) int {
	if s.others {
		return n - len(s.index)
	}
	return len(s.index)
}

// places returns the places of n kept rows, beginning with the given one.
func (s *split) places(from, n int) []int {
	if !s.others {
		return s.index[from : from+n]
	}
	// number of rows left out before the first
	before := sort.Search(len(s.index), func(i int) bool { return s.index[i]-i > from })
	out := make([]int, 0, n)
	for place := from + before; len(out) < n; place++ {
		if before < len(s.index) && s.index[before] == place {
			before++
			continue
		}
		out = append(out, place)
	}
	return out
}
