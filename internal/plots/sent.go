package plots

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/collabdict/collabdict/internal/run/report"
)

// fewBars is the most members that have a bar with a name each.
const fewBars = 40

// sent draws the bytes that each member has sent: one bar per member, or a curve of the sorted
// values if there are many members.
func sent(c *report.Course) *figure {
	var sum, most float64
	for _, b := range c.Sent {
		sum += float64(b)
		most = max(most, float64(b))
	}
	u := byteUnit(most)
	rounds := 0
	if n := len(c.Rounds); n > 0 {
		rounds = c.Rounds[n-1].Round
	}
	f := &figure{
		name: "sent", title: "Bytes sent by each member",
		subtitle: fmt.Sprintf("%s, %d rounds and the start-up; encoded messages, before framing and encryption; mean %s", members(len(c.Sent)), rounds, u.show(sum/float64(len(c.Sent)))),
	}
	if len(c.Sent) <= fewBars {
		f.bars(c, u)
	} else {
		f.profile(c, u, sum/float64(len(c.Sent)))
	}
	f.X.Min, f.Y.Min = 0, 0
	return f
}

// bars draws one bar per member, the first at the top.
func (f *figure) bars(c *report.Course, u unit) {
	f.Plot = newPlot(fmt.Sprintf("sent (%s)", u.name), "")
	f.height = 96 + 16*vg.Length(len(c.Sent))
	n := len(c.Sent)
	var names []plot.Tick
	for i, name := range c.Names {
		names = append(names, plot.Tick{Value: float64(n-i) - 0.5, Label: short(name)})
	}
	f.X.Tick.Marker, f.Y.Tick.Marker = even{7, 0}, plot.ConstantTicks(names)
	f.Y.Tick.Length, f.Y.LineStyle.Width = 0, 0
	f.Add(grid{onlyX: true}, bars{c.Sent, u})
	f.X.Max, f.Y.Max = 1.12*float64(slices.Max(c.Sent))/u.of, float64(n)
}

type bars struct {
	sent []int64
	unit unit
}

// Plot implements [plot.Plotter].
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	s := style(tickSize, ink, text.XLeft, text.YCenter)
	for i, v := range b.sent {
		at := float64(len(b.sent)-i) - 0.5
		to := x(float64(v) / b.unit.of)
		c.FillPolygon(blue, box(x(0), y(at-0.32), to, y(at+0.32)))
		value := b.unit.show(float64(v))
		c.FillPolygon(white, box(to+2, y(at-0.32), to+s.Width(value)+6, y(at+0.32))) // hides the grid behind the number
		middle(c, s, vg.Point{X: to + 4, Y: y(at)}, value)
	}
}

// profile draws the members in order of the bytes that they have sent.
func (f *figure) profile(c *report.Course, u unit, mean float64) {
	f.Plot = newPlot("members, by bytes sent", fmt.Sprintf("sent (%s)", u.name))
	f.height = height
	f.X.Tick.Marker, f.Y.Tick.Marker = even{8, 1}, even{6, 0}
	sorted := slices.SortedFunc(slices.Values(c.Sent), func(a, b int64) int { return cmp.Compare(b, a) })
	var area, level plotter.XYs
	for i, v := range sorted {
		area = append(area, plotter.XY{X: float64(i), Y: float64(v) / u.of}, plotter.XY{X: float64(i + 1), Y: float64(v) / u.of})
	}
	n := float64(len(sorted))
	level = plotter.XYs{{X: 0, Y: mean / u.of}, {X: n, Y: mean / u.of}}
	shade := &plotter.Polygon{XYs: []plotter.XYs{append(plotter.XYs{{X: 0, Y: 0}}, append(area, plotter.XY{X: n, Y: 0})...)}, Color: sky}
	f.Add(shade, grid{}, &plotter.Line{XYs: area, LineStyle: stroke(blue, 1.2)}, &plotter.Line{XYs: level, LineStyle: stroke(orange, 1.5, 5, 3)})
	f.X.Max, f.Y.Max = n, 1.08*float64(sorted[0])/u.of
	f.keys = []key{{label: "a member", line: stroke(blue, 1.5)}, {label: "mean", line: stroke(orange, 1.5, 5, 3)}}
}
