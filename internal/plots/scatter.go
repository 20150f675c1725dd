package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scatter is groups of points in a plane.
type Scatter struct {
	Name            string // of its files
	Title, Subtitle string
	X, Y            string // labels of the axes
	At              Points
	// Of is the group of each point.
	Of     []int
	Groups []string
	// Graded is set if the groups are steps of one scale; the last one stands out.
	Graded bool
	// Last is set if the last group is the rest, which is drawn in grey.
	Last bool
	// Private makes the files readable by their owner only.
	Private bool
}

const scatterHeight = 6.2 * vg.Inch

// manyColors are the colours of up to ten groups (Tol 2021, the scheme "muted", and black).
var manyColors = []color.Color{
	rgb(0x33, 0x22, 0x88), rgb(0xcc, 0x66, 0x77), rgb(0x11, 0x77, 0x33), rgb(0x88, 0xcc, 0xee), rgb(0x88, 0x22, 0x55),
	rgb(0xdd, 0xcc, 0x77), rgb(0x44, 0xaa, 0x99), rgb(0xaa, 0x44, 0x99), rgb(0x99, 0x99, 0x33), ink,
}

// colors returns one colour per group; they repeat after ten.
func (s Scatter) colors() []color.Color {
	of := lineColors
	switch {
	case s.Graded:
		of = grades(len(s.Groups))
	case len(s.Groups) > len(lineColors):
		of = manyColors
	}
	out := make([]color.Color, len(s.Groups))
	for i := range out {
		out[i] = of[i%len(of)]
	}
	if s.Last {
		out[len(out)-1] = faint
	}
	return out
}

// grades returns colours from light to dark, and orange for the last.
func grades(n int) []color.Color {
	out := make([]color.Color, n)
	for i := range out {
		share := float64(i) / math.Max(float64(n-2), 1)
		mix := func(from, to float64) uint8 { return uint8(math.Round(from + share*(to-from))) }
		out[i] = rgb(mix(0xa6, 0x00), mix(0xd3, 0x3c), mix(0xee, 0x6e))
	}
	out[n-1] = orange
	return out
}

func (s Scatter) figure() *figure {
	p := newPlot(s.X, s.Y)
	p.X.Tick.Marker, p.Y.Tick.Marker = even{8, 0}, even{8, 0}
	c := cloud{Scatter: s, members: make([][]vg.Point, len(s.Groups)), colors: s.colors()}
	for i, g := range s.Of {
		at := vg.Point{X: vg.Length(s.At.X[i]), Y: vg.Length(s.At.Y[i])}
		if x, y := s.At.X[i], s.At.Y[i]; x-x == 0 && y-y == 0 {
			c.points++
			c.members[g] = append(c.members[g], at)
			p.X.Min, p.X.Max = math.Min(p.X.Min, x), math.Max(p.X.Max, x)
			p.Y.Min, p.Y.Max = math.Min(p.Y.Min, y), math.Max(p.Y.Max, y)
		}
	}
	widen(&p.X)
	widen(&p.Y)
	p.Add(grid{}, c)
	f := &figure{name: s.Name, title: s.Title, subtitle: s.Subtitle, height: scatterHeight, Plot: p, private: s.Private}
	for g, name := range s.Groups {
		if !s.Graded {
			name = short(name)
		}
		if len(c.members[g]) > 0 {
			f.keys = append(f.keys, key{label: name, dot: c.colors[g]})
		}
	}
	return f
}

// widen leaves room around the values of an axis, even if they are all equal or there are none.
func widen(a *plot.Axis) {
	if a.Min > a.Max {
		a.Min, a.Max = 0, 0
	}
	pad := 0.03 * (a.Max - a.Min)
	if size := math.Max(math.Abs(a.Min), math.Abs(a.Max)); pad <= 1e-6*size {
		pad = math.Max(1, size/10)
	}
	a.Min, a.Max = a.Min-pad, a.Max+pad
}

// cloud draws the points, in the units of the plot.
type cloud struct {
	Scatter
	members [][]vg.Point // of each group
	colors  []color.Color
	points  int
}

// Unordered groups are drawn in turns, a share of the points of each at a time, so that no
// group hides the others. Their names are at the medians of their points. Of two groups, the
// second is in front.
const shares = 20

func (s Scatter) unordered() bool { return !s.Graded && len(s.Groups) > 2 }

// Plot implements [plot.Plotter].
func (c cloud) Plot(to draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&to)
	parts, radius := 1, vg.Length(1.3)
	if c.unordered() {
		parts = shares
	}
	if c.points <= 1000 {
		radius = 2.2
	}
	for part := range parts {
		for g, all := range c.members {
			var circles vg.Path
			for _, at := range all[part*len(all)/parts : (part+1)*len(all)/parts] {
				centre := vg.Point{X: x(float64(at.X)), Y: y(float64(at.Y))}
				circles.Move(vg.Point{X: centre.X + radius, Y: centre.Y})
				circles.Arc(centre, radius, 0, 2*math.Pi)
				circles.Close()
			}
			if circles != nil {
				to.SetColor(c.colors[g])
				to.Fill(circles)
			}
		}
	}
	if c.unordered() {
		c.names(to, x, y)
	}
}

// names writes each group's name at the medians of its points. If another name is there, it
// goes beside it, or is left out if there is no room.
func (c cloud) names(to draw.Canvas, x, y func(float64) vg.Length) {
	s := bold(style(labelSize, ink, text.XCenter, text.YCenter))
	var taken []vg.Rectangle
	for g, all := range c.members {
		if len(all) == 0 || c.Last && g == len(c.Groups)-1 {
			continue
		}
		name := short(c.Groups[g])
		at := vg.Point{
			X: x(median(all, func(p vg.Point) vg.Length { return p.X })),
			Y: y(median(all, func(p vg.Point) vg.Length { return p.Y })),
		}
		size := vg.Point{X: s.Width(name) + 4, Y: s.Height(name) + 4}
		if room, ok := free(taken, at, size); ok {
			taken = append(taken, room)
			haloed(to, s, vg.Point{X: (room.Min.X + room.Max.X) / 2, Y: (room.Min.Y + room.Max.Y) / 2}, name)
		}
	}
}

// free returns the room for a text at a point, above, below or beside it.
func free(taken []vg.Rectangle, at, size vg.Point) (room vg.Rectangle, ok bool) {
	for _, move := range [][2]vg.Length{{0, 0}, {0, 1}, {0, -1}, {1, 0}, {-1, 0}} {
		centre := vg.Point{X: at.X + move[0]*size.X, Y: at.Y + move[1]*size.Y}
		room = around(centre, size)
		if !slices.ContainsFunc(taken, func(r vg.Rectangle) bool { return overlap(r, room) }) {
			return room, true
		}
	}
	return room, false
}

// around returns the rectangle of a size around a point.
func around(at, size vg.Point) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: at.X - size.X/2, Y: at.Y - size.Y/2},
		Max: vg.Point{X: at.X + size.X/2, Y: at.Y + size.Y/2},
	}
}

// haloed writes a text that stands out from points.
func haloed(to draw.Canvas, s text.Style, at vg.Point, txt string) {
	halo := s
	halo.Color = white
	for i := range 8 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 4)
		middle(to, halo, vg.Point{X: at.X + vg.Length(1.2*cos), Y: at.Y + vg.Length(1.2*sin)}, txt)
	}
	middle(to, s, at, txt)
}

func median(all []vg.Point, of func(vg.Point) vg.Length) float64 {
	values := make([]float64, len(all))
	for i, p := range all {
		values[i] = float64(of(p))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}
