package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// Cost is the cost of a sum per participant, for a number of participants.
type Cost struct {
	Participants int
	Bytes        float64
}

// WriteScale draws costs for growing numbers of participants as scale.svg and scale.png in a
// folder. From first participants on, where a committee decides, it fits a line with the number
// of bytes per doubling.
func WriteScale(dir string, costs []Cost, first int) error { return scale(costs, first).write(dir) }

func scale(costs []Cost, first int) *figure {
	p := newPlot("participants", "sent by a participant for a sum (kB)")
	var all, large plotter.XYs
	var ticks []plot.Tick
	for i, c := range costs {
		at := plotter.XY{X: math.Log2(float64(c.Participants)), Y: c.Bytes / 1e3}
		all = append(all, at)
		if c.Participants >= first {
			large = append(large, at)
		}
		t := plot.Tick{Value: at.X}
		if (len(costs)-1-i)%2 == 0 || len(costs) <= 8 {
			t.Label = number(float64(c.Participants), 0)
		}
		ticks = append(ticks, t)
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(ticks), even{6, 0}
	p.Add(grid{})
	f := &figure{name: "scale", title: "What a sum takes of a participant", height: height, Plot: p}
	f.subtitle = "a logarithmic axis of participants: a straight line grows as their logarithm"
	if len(large) > 1 {
		slope, at0 := fit(large)
		ends := plotter.XYs{large[0], large[len(large)-1]}
		for i := range ends {
			ends[i].Y = at0 + slope*ends[i].X
		}
		p.Add(&plotter.Line{XYs: ends, LineStyle: stroke(orange, 1.5, 5, 3)})
		f.keys = []key{
			{label: "measured", dot: blue},
			{label: fmt.Sprintf("%.1f kB more with each doubling, where a committee decides", slope), line: stroke(orange, 1.5, 5, 3)},
		}
	}
	p.Add(dots(all, blue, 2.6))
	p.Y.Min, p.Y.Max = 0, 1.08*p.Y.Max
	p.X.Min, p.X.Max = p.X.Min-0.3, p.X.Max+0.3
	return f
}

// fit returns the least-squares line through points.
func fit(at plotter.XYs) (slope, at0 float64) {
	n := float64(len(at))
	var x, y, xx, xy float64
	for _, p := range at {
		x, y, xx, xy = x+p.X, y+p.Y, xx+p.X*p.X, xy+p.X*p.Y
	}
	slope = (n*xy - x*y) / (n*xx - x*x)
	return slope, (y - slope*x) / n
}
