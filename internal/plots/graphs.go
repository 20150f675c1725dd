package plots

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Graphs are dependencies between the same variables, one panel per graph.
type Graphs struct {
	Name            string // of its files
	Title, Subtitle string
	Names           []string // of the variables
	Panels          []Graph
	// Private makes the files readable by their owner only.
	Private bool
}

// Graph is one panel. Only its strongest [MostLinks] links are drawn.
type Graph struct {
	Title string
	Links []Link
}

// Link joins two variables, counted from 0. Its Strength is from −1 to 1.
type Link struct {
	A, B     int
	Strength float64
}

// MostLinks is the largest number of links in a panel. Readers could not distinguish more.
const MostLinks = 60

// SVG returns the drawing.
func (g Graphs) SVG() ([]byte, error) {
	b, _, err := g.figure().svg()
	return b, err
}

const (
	graphGap   = vg.Length(14)
	graphTitle = vg.Length(18)
	namesApart = 15 // points on the circle per name, from which on names fit side by side
	mostNames  = 14 // longest name, in runes
)

// across returns the number of panels side by side, and their width.
func (g Graphs) across() (n int, side vg.Length) {
	switch m := len(g.Names); {
	case len(g.Panels) == 1 || m > 60:
		n = 1
	case m > 8 || len(g.Panels) == 2:
		n = 2
	default:
		n = 3
	}
	side = (width - 2*margin - graphGap*vg.Length(n-1)) / vg.Length(n)
	return n, side
}

func (g Graphs) figure() *figure {
	n, side := g.across()
	g = g.shortened()
	radius, turned := g.radius(side)
	high := 2 * (radius + 16)
	if turned {
		high = 2 * (radius + g.room())
	}
	rows := (len(g.Panels) + n - 1) / n
	f := &figure{
		name: g.Name, title: g.Title, subtitle: g.Subtitle, private: g.Private,
		keys: []key{
			{label: "positive; wider and darker is stronger", line: stroke(blue, 2)}, {label: "negative", line: stroke(orange, 2)},
		},
		height: 2*margin + 52 + vg.Length(rows)*(high+graphTitle+graphGap),
	}
	f.body = func(c draw.Canvas) {
		for i, p := range g.Panels {
			x := c.Min.X + vg.Length(i%n)*(side+graphGap)
			y := c.Max.Y - vg.Length(i/n)*(high+graphTitle+graphGap)
			c.FillText(style(tickSize, ink, text.XLeft, text.YTop), vg.Point{X: x, Y: y}, p.Title)
			g.panel(c, p, vg.Point{X: x + side/2, Y: y - graphTitle - high/2}, radius, turned)
		}
	}
	return f
}

// shortened returns graphs with names short enough for the room.
func (g Graphs) shortened() Graphs {
	names := make([]string, len(g.Names))
	for i, name := range g.Names {
		if r := []rune(name); len(r) > mostNames {
			name = string(r[:mostNames-1]) + "…"
		}
		names[i] = name
	}
	g.Names = names
	return g
}

// room returns the room for the longest name.
func (g Graphs) room() (room vg.Length) {
	label := style(tickSize-1, ink, text.XLeft, text.YCenter)
	for _, name := range g.Names {
		room = max(room, label.Width(name))
	}
	return room + 10
}

// radius returns the radius of the circle in a panel, and whether names are turned along it.
func (g Graphs) radius(side vg.Length) (radius vg.Length, turned bool) {
	radius = max(10, min(side/2-g.room(), 2.6*vg.Inch))
	return radius, 2*math.Pi*float64(radius) < namesApart*float64(len(g.Names))
}

// panel draws a graph around centre: variables on a circle, clockwise from the top.
func (g Graphs) panel(c draw.Canvas, p Graph, centre vg.Point, radius vg.Length, turned bool) {
	at := func(i int, r vg.Length) vg.Point {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(len(g.Names)))
		return vg.Point{X: centre.X + r*vg.Length(sin), Y: centre.Y + r*vg.Length(cos)}
	}
	links := slices.SortedStableFunc(slices.Values(p.Links), func(a, b Link) int {
		return cmp.Compare(math.Abs(a.Strength), math.Abs(b.Strength))
	})
	links = links[max(0, len(links)-MostLinks):]
	linked := map[int]bool{}
	for _, l := range links {
		linked[l.A], linked[l.B] = true, true
		from, to := at(l.A, radius), at(l.B, radius)
		var path vg.Path
		path.Move(from)
		// Curved towards the centre, so that the circle does not hide lines between neighbours.
		path.QuadTo(vg.Point{X: (from.X+to.X)/4 + centre.X/2, Y: (from.Y+to.Y)/4 + centre.Y/2}, to)
		strength := math.Min(math.Abs(l.Strength), 1)
		c.SetLineStyle(stroke(faded(l.Strength), vg.Length(0.6+4*strength)))
		c.Stroke(path)
	}
	for i, name := range g.Names {
		dot, clr := ink, ink
		if !linked[i] {
			dot, clr = faint, grey
		}
		c.DrawGlyph(draw.GlyphStyle{Color: dot, Radius: 2.2, Shape: draw.CircleGlyph{}}, at(i, radius))
		g.label(c, at(i, radius+6), float64(i)/float64(len(g.Names)), name, clr, turned)
	}
}

// label writes a name outside the circle, at a share of its circumference, and along the radius
// if turned.
func (g Graphs) label(c draw.Canvas, at vg.Point, share float64, name string, clr color.Color, turned bool) {
	s := style(tickSize-1, clr, text.XLeft, text.YCenter)
	left := share > 0.5
	if !turned {
		switch {
		case share == 0 || share == 0.5:
			s.XAlign = text.XCenter
		case left:
			s.XAlign = text.XRight
		}
		at.Y += 4 * vg.Length(math.Cos(2*math.Pi*share))
		middle(c, s, at, name)
		return
	}
	s.Rotation = math.Pi/2 - 2*math.Pi*share
	if left {
		s.Rotation += math.Pi
		s.XAlign = text.XRight
	}
	c.FillText(s, at, name)
}

// faded returns blue for links above 0 and orange below; weaker links are paler.
func faded(strength float64) color.Color {
	share := 0.35 + 0.65*math.Min(math.Abs(strength)/0.6, 1)
	return shade(0.5 + math.Copysign(share/2, strength))
}
