package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// Chart is lines through values, with bars for the spread of means.
type Chart struct {
	Name            string // of its files
	Title, Subtitle string
	X, Y            string // labels of the axes
	// Places, if not nil, are the names of the positions 0, 1, 2, ... on the x axis.
	Places []string
	// Apart is set if the places have no order: values are dots without lines.
	Apart bool
	// Doubling makes the x axis logarithmic, with base 2.
	Doubling bool
	// Decades makes the y axis logarithmic, with base 10; values are above 0.
	Decades bool
	Lines   []Line
}

// Line is values by place.
type Line struct {
	Name string
	X, Y []float64
	// Spread is half the length of the bar at each value; nil draws no bars.
	Spread []float64
	// Published marks numbers from publications: rings without a line, in the colour of the
	// line before. Only one of them needs a name.
	Published bool
}

// lineColors are the colours of up to eight lines.
var lineColors = []color.Color{
	blue, orange, rgb(0x00, 0x9e, 0x73), purple, rgb(0xd5, 0x5e, 0x00), rgb(0x56, 0xb4, 0xe9), ink, rgb(0xb8, 0xa9, 0x00),
}

func (c Chart) figure() *figure {
	p := newPlot(c.X, c.Y)
	p.Y.Tick.Marker = even{6, 0}
	if c.Decades {
		p.Y.Tick.Marker = decades{6}
	}
	p.X.Tick.Marker = c.ticks()
	p.Add(grid{})
	f := &figure{name: c.Name, title: c.Title, subtitle: c.Subtitle, height: height, Plot: p}
	own := -1
	for i, l := range c.Lines {
		if !l.Published {
			own++
		}
		clr := lineColors[max(own, 0)%len(lineColors)]
		line := stroke(clr, 1.5)
		at, bars := c.points(l, i)
		if len(at) == 0 {
			continue
		}
		if l.Published {
			p.Add(rings(at, clr))
			if l.Name != "" {
				f.keys = append(f.keys, key{label: l.Name, dot: clr})
			}
			continue
		}
		k := key{label: l.Name, line: line}
		if c.Apart {
			k = key{label: l.Name, dot: clr}
			p.Add(dots(at, clr, 3))
		} else {
			p.Add(&plotter.Line{XYs: at, LineStyle: line}, dots(at, clr, 2.2))
		}
		for _, b := range bars {
			p.Add(&plotter.Line{XYs: b, LineStyle: stroke(clr, 0.8)})
		}
		f.keys = append(f.keys, k)
	}
	pad := 0.04 * math.Max(p.X.Max-p.X.Min, 1e-9)
	p.X.Min, p.X.Max = p.X.Min-pad, p.X.Max+pad
	pad = 0.05 * math.Max(p.Y.Max-p.Y.Min, 1e-9)
	p.Y.Min, p.Y.Max = p.Y.Min-pad, p.Y.Max+pad
	return f
}

// points returns the positions of a line's values and of the bars for their spread. Lines are
// shifted a little, so that their bars do not overlap.
func (c Chart) points(l Line, index int) (at plotter.XYs, bars []plotter.XYs) {
	up := func(y float64) float64 { return y }
	if c.Decades {
		up = math.Log10
	}
	aside := 0.0
	if l.Spread != nil && c.Places != nil {
		step := 0.02
		if c.Apart {
			step = 0.08
		}
		aside = step * (float64(index) - float64(len(c.Lines)-1)/2)
	}
	for i, y := range l.Y {
		x := l.X[i]
		if c.Doubling {
			x = math.Log2(x)
		}
		p := plotter.XY{X: x + aside, Y: up(y)}
		if math.IsNaN(p.Y) || math.IsInf(p.Y, 0) {
			continue
		}
		at = append(at, p)
		if l.Spread != nil && l.Spread[i] > 0 {
			low, high := up(y-l.Spread[i]), up(y+l.Spread[i])
			if math.IsNaN(low) {
				low = p.Y
			}
			bars = append(bars, plotter.XYs{{X: p.X, Y: low}, {X: p.X, Y: high}})
		}
	}
	return at, bars
}

// ticks returns the places, or with Doubling all numbers that occur.
func (c Chart) ticks() plot.Ticker {
	var ticks []plot.Tick
	switch {
	case c.Places != nil:
		for i, name := range c.Places {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
		}
	case c.Doubling:
		seen := map[float64]bool{}
		for _, l := range c.Lines {
			for _, x := range l.X {
				if !seen[x] {
					seen[x] = true
					ticks = append(ticks, plot.Tick{Value: math.Log2(x), Label: number(x, 0)})
				}
			}
		}
	default:
		return even{8, 0}
	}
	return plot.ConstantTicks(ticks)
}

func rings(at plotter.XYs, c color.Color) *plotter.Scatter {
	return &plotter.Scatter{XYs: at, GlyphStyle: draw.GlyphStyle{Color: c, Radius: 4, Shape: draw.RingGlyph{}}}
}
