package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Histogram counts the values of groups, as stacked bars.
type Histogram struct {
	Name            string // of its files
	Title, Subtitle string
	X, Y            string // labels of the axes
	Groups          []HistogramGroup
	// Mark is a value to mark, with its name; none is marked if it is not finite.
	Mark     float64
	MarkName string
	// Private makes the files readable by their owner only.
	Private bool
}

// HistogramGroup is a set of values with one colour. NaN and infinite values count as the
// largest.
type HistogramGroup struct {
	Name   string
	Values []float64
}

const (
	histogramBins = 48
	// farthestShare is the share of values below the end of the axis, unless the mark is beyond
	// it. Values above the end are counted in the last bar, so that a few of them do not
	// squeeze the rest.
	farthestShare = 0.98
)

// ends returns the ends of the axis, and reports whether values lie beyond it.
func (h Histogram) ends() (low, high float64, beyond bool) {
	var all []float64
	for _, g := range h.Groups {
		for _, v := range g.Values {
			if v-v == 0 {
				all = append(all, v)
			} else {
				beyond = true
			}
		}
	}
	if len(all) == 0 {
		return 0, 1, beyond
	}
	slices.Sort(all)
	low, high = all[0], all[len(all)-1]
	most := all[int(farthestShare*float64(len(all)-1))]
	if h.Mark-h.Mark == 0 {
		low, most = math.Min(low, h.Mark), math.Max(most, h.Mark)
	}
	if far := low + 1.6*(most-low); high > far && far > low {
		high, beyond = far, true
	}
	if h.Mark-h.Mark == 0 {
		high = math.Max(high, h.Mark+0.03*(h.Mark-low))
	}
	if !(high > low) {
		low, high = low-0.5, low+0.5
	}
	return low, high, beyond
}

func (h Histogram) figure() *figure {
	low, high, beyond := h.ends()
	step := (high - low) / histogramBins
	s := stacks{low: low, step: step, counts: make([][]float64, len(h.Groups))}
	f := &figure{name: h.Name, title: h.Title, subtitle: h.Subtitle, height: height, private: h.Private}
	total := make([]float64, histogramBins)
	for i, g := range h.Groups {
		s.counts[i] = make([]float64, histogramBins)
		for _, v := range g.Values {
			bin := histogramBins - 1
			if at := (v - low) / step; at < histogramBins {
				bin = max(0, int(at))
			}
			s.counts[i][bin]++
			total[bin]++
		}
		clr := lineColors[i%len(lineColors)]
		s.colors = append(s.colors, clr)
		f.keys = append(f.keys, key{label: g.Name, fill: clr})
	}
	if beyond {
		h.X += "; the last bar has all larger values"
	}
	p := newPlot(h.X, h.Y)
	p.X.Tick.Marker, p.Y.Tick.Marker = even{8, 0}, even{6, 1}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low, high, 0, 1.08*slices.Max(total)
	p.Add(grid{}, s)
	if h.Mark-h.Mark == 0 {
		p.Add(upright{h.Mark})
		f.keys = append(f.keys, key{label: h.MarkName, line: stroke(ink, 1.2, 4, 3)})
	}
	f.Plot = p
	return f
}

// stacks are the stacked counts of groups.
type stacks struct {
	low, step float64
	counts    [][]float64
	colors    []color.Color
}

// Plot implements [plot.Plotter].
func (b stacks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for bin := range histogramBins {
		from := 0.0
		left, right := x(b.low+float64(bin)*b.step), x(b.low+float64(bin+1)*b.step)
		for g, counts := range b.counts {
			if n := counts[bin]; n > 0 {
				c.FillPolygon(b.colors[g], box(left+0.4, y(from), right-0.4, y(from+n)))
				from += n
			}
		}
	}
}

// upright is a dashed line at a value.
type upright struct{ at float64 }

// Plot implements [plot.Plotter].
func (u upright) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	c.StrokeLine2(stroke(ink, 1.2, 4, 3), x(u.at), c.Min.Y, x(u.at), c.Max.Y)
}
