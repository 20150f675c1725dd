package plots

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/collabdict/collabdict/internal/run/report"
)

// objective draws the objective by round. It marks rounds without some members, whose sums are
// over fewer rows.
func objective(c *report.Course) *figure {
	var all plotter.XYs
	var whole, partial plotter.XYs
	for _, r := range c.Rounds {
		if r.Round == 0 || !r.Objective.Defined {
			continue
		}
		at := plotter.XY{X: float64(r.Round), Y: r.Objective.Value}
		all = append(all, at)
		if len(r.Missing) == 0 {
			whole = append(whole, at)
		} else {
			partial = append(partial, at)
		}
	}
	p := newPlot("round", c.Objective)
	p.X.Tick.Marker, p.Y.Tick.Marker = even{8, 1}, even{6, 0}
	p.Add(grid{})
	f := &figure{
		name: "objective", title: "Objective by round", height: height, Plot: p,
		subtitle: members(len(c.Names)),
	}
	if len(all) == 0 {
		return f
	}
	line := &plotter.Line{XYs: all, LineStyle: stroke(blue, 1.2)}
	p.Add(line)
	size := vg.Length(2.6)
	if len(all) > 60 {
		size = 1.6
	}
	p.Add(dots(whole, blue, size), dots(partial, orange, size))
	above := 0.04 * (p.Y.Max - p.Y.Min)
	p.Y.Min, p.Y.Max = p.Y.Min-above, p.Y.Max+above
	if len(partial) > 0 {
		f.keys = append(f.keys, key{label: "without some members, on fewer rows", dot: orange})
		if len(whole) > 0 {
			f.keys = append([]key{{label: "sum of all members", dot: blue}}, f.keys...)
		}
	}
	return f
}

func dots(at plotter.XYs, c color.Color, size vg.Length) *plotter.Scatter {
	return &plotter.Scatter{XYs: at, GlyphStyle: draw.GlyphStyle{Color: c, Radius: size, Shape: draw.CircleGlyph{}}}
}

func members(n int) string { return number(float64(n), 0) + " members" }

// grid draws faint lines at labelled ticks.
type grid struct{ onlyX bool }

// Plot implements [plot.Plotter].
func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if !t.IsMinor() {
			c.StrokeLine2(stroke(faint, 0.5), x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
		}
	}
	if g.onlyX {
		return
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if !t.IsMinor() {
			c.StrokeLine2(stroke(faint, 0.5), c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}
