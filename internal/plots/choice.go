package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/collabdict/collabdict/internal/run/report"
)

const choiceName = "choice"

// choice draws the gain of held-out rows by number of components, with one line per penalty and
// stage.
func choice(all []report.Judged) *figure {
	c := Chart{X: "components", Y: "gain (nats per training row)", Doubling: true}
	lines := map[stageOf]*plotter.XYs{}
	var order []stageOf
	for _, j := range all {
		of := stageOf{j.Lambda, j.Stage}
		if lines[of] == nil {
			lines[of] = &plotter.XYs{}
			order = append(order, of)
		}
		c.Lines = append(c.Lines, Line{X: []float64{float64(j.Components)}, Y: []float64{j.Gain}})
	}
	at := func(i int) plotter.XY {
		points, _ := c.points(c.Lines[i], 0)
		return points[0]
	}
	p := newPlot(c.X, c.Y)
	p.X.Tick.Marker, p.Y.Tick.Marker = c.ticks(), even{6, 0}
	p.Add(grid{})
	f := &figure{name: choiceName, title: "Choice of components and penalty", subtitle: "on held-out rows; numbers are stages of some rounds each", height: height, Plot: p}
	slices.SortStableFunc(order, func(a, b stageOf) int { return cmp.Compare(a.lambda, b.lambda) })
	colors := map[float64]color.Color{}
	for _, of := range order {
		if colors[of.lambda] == nil {
			colors[of.lambda] = lineColors[len(colors)%len(lineColors)]
			f.keys = append(f.keys, key{label: fmt.Sprintf("penalty %g", of.lambda), line: stroke(colors[of.lambda], 1.5)})
		}
	}
	var kept, dropped []dot
	for i, j := range all {
		of := stageOf{j.Lambda, j.Stage}
		*lines[of] = append(*lines[of], at(i))
		d := dot{at(i), colors[j.Lambda]}
		if j.Kept {
			kept = append(kept, d)
		} else {
			dropped = append(dropped, d)
		}
	}
	for _, of := range order {
		p.Add(&plotter.Line{XYs: *lines[of], LineStyle: stroke(colors[of.lambda], 1.2)})
	}
	for _, d := range dropped {
		p.Add(dots(plotter.XYs{d.XY}, white, 4), rings(plotter.XYs{d.XY}, d.Color))
	}
	for _, d := range kept {
		p.Add(dots(plotter.XYs{d.XY}, d.Color, 3))
	}
	var numbers stageLabels
	for _, of := range order {
		line := *lines[of]
		numbers = append(numbers, stageLabel{dot{line[len(line)-1], colors[of.lambda]}, fmt.Sprint(of.stage)})
	}
	p.Add(numbers)
	f.keys = append(f.keys, key{label: "kept", dot: ink}, key{label: "dropped", ring: ink})
	pad := 0.06 * max(p.X.Max-p.X.Min, 1e-9)
	p.X.Min, p.X.Max = p.X.Min-pad, p.X.Max+pad
	pad = 0.05 * max(p.Y.Max-p.Y.Min, 1e-9)
	p.Y.Min, p.Y.Max = p.Y.Min-pad, p.Y.Max+pad
	return f
}

// stageOf identifies a line.
type stageOf struct {
	lambda float64
	stage  int
}

type dot struct {
	plotter.XY
	color.Color
}

// stageLabel is text to the right of a point.
type stageLabel struct {
	dot
	text string
}

// stageLabels are texts that move up where they would overlap.
type stageLabels []stageLabel

// Plot implements [plot.Plotter].
func (l stageLabels) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	below := map[float64]vg.Length{} // height that texts occupy, by position on the x axis
	for _, one := range slices.SortedStableFunc(slices.Values(l), func(a, b stageLabel) int { return cmp.Compare(a.Y, b.Y) }) {
		at := y(one.Y)
		if taken, ok := below[one.X]; ok {
			at = max(at, taken)
		}
		below[one.X] = at + tickSize
		middle(c, style(tickSize, one.Color, text.XLeft, text.YCenter), vg.Point{X: x(one.X) + 7, Y: at}, one.text)
	}
}
