package plots

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is a table whose cells are shaded by their values.
type Heat struct {
	Name            string // of its files
	Title, Subtitle string
	Columns         []string
	Lines           []HeatLine
	// Low and High label the values 0 and 1. These are orange and blue, and 0.5 is white. Empty
	// labels are not in the legend.
	Low, High string
	// Private makes the files readable by their owner only.
	Private bool
}

// HeatLine is a row of cells.
type HeatLine struct {
	Label string
	Cells []Cell
}

// Cell is a value from 0 to 1, and a text that is drawn if there is room.
type Cell struct {
	Shade float64
	Text  string
}

const (
	heatRow   = vg.Length(15)
	heatCell  = vg.Length(64) // the widest
	heatSize  = vg.Length(8)
	heatNames = vg.Length(16) // above the cells
)

func (h Heat) figure() *figure {
	f := &figure{name: h.Name, title: h.Title, subtitle: h.Subtitle, private: h.Private}
	if h.Low != "" {
		f.keys = append(f.keys, key{label: h.Low, fill: shade(0)})
	}
	if h.High != "" {
		f.keys = append(f.keys, key{label: h.High, fill: shade(1)})
	}
	f.height = 2*margin + 42 + heatNames + vg.Length(len(h.Lines))*heatRow
	if f.keys != nil {
		f.height += 18
	}
	f.body = h.draw
	return f
}

func (h Heat) draw(c draw.Canvas) {
	names := style(tickSize, ink, text.XRight, text.YCenter)
	left := vg.Length(0)
	for _, l := range h.Lines {
		left = max(left, names.Width(short(l.Label)))
	}
	left += c.Min.X + 6
	cell := min(heatCell, (c.Max.X-left)/vg.Length(max(1, len(h.Columns))))
	above := style(tickSize, ink, text.XCenter, text.YCenter)
	for j, name := range h.Columns {
		if above.Width(name) <= cell || j%5 == 4 || j == 0 {
			middle(c, above, vg.Point{X: left + (vg.Length(j)+0.5)*cell, Y: c.Max.Y - heatNames/2}, name)
		}
	}
	written := h.written(cell)
	for i, l := range h.Lines {
		y := c.Max.Y - heatNames - vg.Length(i+1)*heatRow
		middle(c, names, vg.Point{X: left - 6, Y: y + heatRow/2}, short(l.Label))
		for j, v := range l.Cells {
			x := left + vg.Length(j)*cell
			at := math.Max(0, math.Min(1, v.Shade))
			c.FillPolygon(shade(at), box(x, y, x+cell, y+heatRow))
			if written {
				clr := ink
				if at > 0.85 {
					clr = white
				}
				middle(c, style(heatSize, clr, text.XCenter, text.YCenter), vg.Point{X: x + cell/2, Y: y + heatRow/2}, v.Text)
			}
		}
	}
	edge := box(left, c.Max.Y-heatNames-vg.Length(len(h.Lines))*heatRow, left+cell*vg.Length(len(h.Columns)), c.Max.Y-heatNames)
	c.StrokeLines(stroke(grey, 0.6), append(edge, edge[0]))
}

// written reports whether all texts fit into cells of the given width.
func (h Heat) written(cell vg.Length) bool {
	s := style(heatSize, ink, text.XCenter, text.YCenter)
	for _, l := range h.Lines {
		for _, v := range l.Cells {
			if s.Width(v.Text)+3 > cell {
				return false
			}
		}
	}
	return true
}
