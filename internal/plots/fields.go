package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Fields are values over a plane, one panel per field, with samples.
type Fields struct {
	Name            string // of its files
	Title, Subtitle string
	// From and To are the ends of both axes.
	From, To float64
	// Low and High label the values 0 and 1. These are orange and blue, and 0.5 is white.
	Low, High string
	Columns   int
	Panels    []Field
}

// Field is one panel.
type Field struct {
	Title string
	Value func(x, y float64) float64 // from 0 to 1
	// Low and High are samples, drawn in the colours of 0 and 1.
	Low, High Points
}

// Points are points in the plane.
type Points struct{ X, Y []float64 }

const (
	fieldCells  = 60 // across and up
	fieldLevels = 12
	fieldGap    = vg.Length(10)
	fieldTitle  = vg.Length(16)
)

func (f Fields) figure() *figure {
	rows := (len(f.Panels) + f.Columns - 1) / f.Columns
	side := (width - 2*margin - fieldGap*vg.Length(f.Columns-1)) / vg.Length(f.Columns)
	g := &figure{
		name: f.Name, title: f.Title, subtitle: f.Subtitle,
		keys:   []key{{label: f.Low, fill: shade(0)}, {label: f.High, fill: shade(1)}},
		height: 2*margin + 46 + vg.Length(rows)*(side+fieldTitle+fieldGap),
	}
	g.body = func(c draw.Canvas) {
		for i, p := range f.Panels {
			x := c.Min.X + vg.Length(i%f.Columns)*(side+fieldGap)
			y := c.Max.Y - vg.Length(i/f.Columns)*(side+fieldTitle+fieldGap)
			c.FillText(style(tickSize, ink, text.XLeft, text.YTop), vg.Point{X: x, Y: y}, p.Title)
			f.panel(c, p, x, y-fieldTitle-side, side)
		}
	}
	return g
}

// panel draws one panel; cells of equal shade in a row become one box.
func (f Fields) panel(c draw.Canvas, p Field, left, bottom, side vg.Length) {
	cell := side / fieldCells
	level := func(i, j int) int {
		at := func(k int) float64 { return f.From + (f.To-f.From)*(float64(k)+0.5)/fieldCells }
		return int(math.Round(fieldLevels * math.Min(1, math.Max(0, p.Value(at(i), at(j))))))
	}
	for j := range fieldCells {
		y := bottom + vg.Length(j)*cell
		for i := 0; i < fieldCells; {
			from, l := i, level(i, j)
			for i < fieldCells && level(i, j) == l {
				i++
			}
			// Slightly larger than the box, so that no seam shows between two boxes.
			c.FillPolygon(shade(float64(l)/fieldLevels), box(left+vg.Length(from)*cell, y, left+vg.Length(i)*cell, y+cell+min(0.4, bottom+side-y-cell)))
		}
	}
	to := func(v float64) vg.Length { return vg.Length((v-f.From)/(f.To-f.From)) * side }
	for k, s := range []Points{p.Low, p.High} {
		for i, x := range s.X {
			at := vg.Point{X: left + to(x), Y: bottom + to(s.Y[i])}
			c.DrawGlyph(draw.GlyphStyle{Color: white, Radius: 2.3, Shape: draw.CircleGlyph{}}, at)
			c.DrawGlyph(draw.GlyphStyle{Color: shade(float64(k)), Radius: 1.6, Shape: draw.CircleGlyph{}}, at)
		}
	}
	edge := box(left, bottom, left+side, bottom+side)
	c.StrokeLines(stroke(grey, 0.6), append(edge, edge[0]))
}

// shade returns orange for 0, white for 0.5 and blue for 1.
func shade(v float64) color.Color {
	end, share := orange, 1-2*v
	if v > 0.5 {
		end, share = blue, 2*v-1
	}
	e := end.(color.NRGBA)
	mix := func(of uint8) uint8 { return uint8(math.Round(255 - share*(255-float64(of)))) }
	return rgb(mix(e.R), mix(e.G), mix(e.B))
}
