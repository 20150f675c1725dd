package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/collabdict/collabdict/internal/run/report"
)

const (
	barRow      = vg.Length(15)
	barGap      = vg.Length(40) // gap between two panels of bars: room for a number
	mostWeights = 50
	weightsName = "weights"
)

// WriteWeights draws the weights of participants, and how much they differ from the others
// where that is known, as weights.svg and weights.png in a folder. Of many participants it
// draws those with the largest weights.
func WriteWeights(dir string, all []report.Weighting) error { return weights(all).write(dir) }

func weights(all []report.Weighting) *figure {
	f := &figure{name: weightsName, title: "Weights of the participants", subtitle: "weights in means of models"}
	if len(all) > mostWeights {
		f.subtitle = fmt.Sprintf("weights in means of models; the %d largest of %d", mostWeights, len(all))
		all = slices.SortedStableFunc(slices.Values(all), func(a, b report.Weighting) int { return cmp.Compare(b.Weight, a.Weight) })[:mostWeights]
	}
	if slices.ContainsFunc(all, func(w report.Weighting) bool { return w.ByRows }) {
		f.subtitle += "; by rows, because the rule leaves no weights"
	}
	panels := []panel{{name: "weight", color: blue}, {name: "discrepancy", color: orange}}
	known := false
	for _, w := range all {
		panels[0].values = append(panels[0].values, report.Of(w.Weight))
		panels[1].values = append(panels[1].values, w.Discrepancy)
		known = known || w.Discrepancy.Defined
	}
	if !known {
		panels = panels[:1]
	}
	f.height = 2*margin + 46 + vg.Length(len(all)+1)*barRow
	f.body = func(c draw.Canvas) {
		names := style(tickSize, ink, text.XRight, text.YCenter)
		left := vg.Length(0)
		for _, w := range all {
			left = max(left, names.Width(short(w.Name)))
		}
		for i, w := range all {
			middle(c, names, vg.Point{X: c.Min.X + left, Y: c.Max.Y - vg.Length(i+1)*barRow - barRow/2}, short(w.Name))
		}
		c.Min.X += left + 8
		width := c.Size().X/vg.Length(len(panels)) - barGap
		for i, p := range panels {
			p.draw(c, c.Min.X+vg.Length(i)*(width+barGap), width)
		}
	}
	return f
}

// panel has one bar per row.
type panel struct {
	name   string
	color  color.Color
	values []report.Figure
}

// draw draws a panel from x on: bars from 0, to the left for negative values, and the values
// beside them.
func (p panel) draw(c draw.Canvas, x, width vg.Length) {
	least, most := 0.0, 0.0
	for _, v := range p.values {
		least, most = math.Min(least, v.Value), math.Max(most, v.Value)
	}
	span := most - least
	if !(span > 0) {
		span = 1
	}
	at := func(v float64) vg.Length { return x + vg.Length((v-least)/span)*width }
	middle(c, bold(style(tickSize, ink, text.XLeft, text.YCenter)), vg.Point{X: at(0), Y: c.Max.Y - barRow/2}, p.name)
	number := style(tickSize, ink, text.XLeft, text.YCenter)
	for i, v := range p.values {
		y := c.Max.Y - vg.Length(i+1)*barRow
		if v.Defined {
			c.FillPolygon(p.color, box(at(0), y-barRow+3, at(v.Value), y-3))
		}
		middle(c, number, vg.Point{X: max(at(0), at(v.Value)) + 4, Y: y - barRow/2}, v.String())
	}
	bottom := c.Max.Y - vg.Length(len(p.values)+1)*barRow
	c.StrokeLine2(stroke(grey, 0.6), at(0), c.Max.Y-barRow, at(0), bottom)
}
