package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scores are scores of rows over time, with events, and below them the sensors of some events.
type Scores struct {
	Name            string // of its files
	Title, Subtitle string
	X, Y            string // labels of the axes
	// Dated is set if times are seconds since 1970.
	Dated bool
	// Of has three values per time: the score, the threshold, and the score again if it is an
	// anomaly, otherwise NaN.
	Of      *Trace
	Events  []Span
	Details []Detail
}

// Span is a time from From to To.
type Span struct{ From, To float64 }

// Detail is an event with the sensors that it names.
type Detail struct {
	Title string
	At    Span
	// Of has the values of the sensors, and those that the model expected.
	Of     *Trace
	Panels []SensorPanel
}

// SensorPanel is a sensor of an event.
type SensorPanel struct {
	Title string
	Unit  string // of its values, "" if it is not known
	// Got and Expected are the places of the value and of the expected one in the event's trace.
	Got, Expected int
}

// Cells of traces as wide as the picture, and as one of three panels.
const (
	ScoreCells  = 1024
	DetailCells = 256
)

const (
	scoresHeight   = 3.2 * vg.Inch
	detailHeight   = 1.25 * vg.Inch // of a panel
	detailLine     = vg.Length(13)  // of text above it
	detailGap      = vg.Length(10)
	mostTitleLines = 3  // of a panel
	fewTimes       = 60 // most cells of a trace whose values are dots
	linePiece      = 64 // points of a line drawn at once; the time for the PNG grows as their square
)

var (
	eventColor    = rgb(0xfb, 0xe7, 0xc3)
	gotColor      = rgb(0x00, 0x9e, 0x73)
	expectedColor = purple
)

func (s Scores) figure() *figure {
	f := &figure{
		name: s.Name, title: s.Title, subtitle: s.Subtitle, private: true,
		height: scoresHeight + 2*margin + 55,
		keys:   []key{{label: "score", line: stroke(blue, 1.2)}},
	}
	for _, d := range s.Details {
		f.height += d.height()
	}
	if low, high := s.Of.Bounds(1); low <= high {
		f.keys = append(f.keys, key{label: "threshold", line: stroke(ink, 1.2, 4, 3)})
	}
	if len(s.Events) > 0 {
		f.keys = append(f.keys, key{label: "anomaly", dot: orange}, key{label: "event", fill: eventColor})
	}
	if len(s.Details) > 0 {
		f.keys = append(f.keys, key{label: "value", line: stroke(gotColor, 1.2)}, key{label: "value that the model expected", line: stroke(expectedColor, 1.2, 4, 2)})
	}
	main := s.main()
	f.body = func(c draw.Canvas) {
		at := c
		at.Min.Y = at.Max.Y - scoresHeight
		main.Draw(at)
		for i, d := range s.Details {
			at.Max.Y = at.Min.Y - detailGap
			at.Min.Y = at.Max.Y - d.height() + detailGap
			s.detail(at, d, i+1)
		}
	}
	return f
}

// height returns the height of a detail: its title, those of panels, and the panels.
func (d Detail) height() vg.Length {
	lines := 0
	for _, p := range d.Panels {
		lines = max(lines, len(d.titleLines(p)))
	}
	return vg.Length(1+lines)*detailLine + detailHeight + detailGap
}

// side returns the width of a panel.
func (d Detail) side() vg.Length {
	n := vg.Length(len(d.Panels))
	return (width - 2*margin - (n-1)*detailGap) / n
}

// titleLines returns a panel's title in lines, at most mostTitleLines.
func (d Detail) titleLines(p SensorPanel) []string {
	return wrapped(style(tickSize, ink, text.XLeft, text.YTop), p.Title, d.side(), mostTitleLines)
}

// detail draws the sensors of an event beside each other.
func (s Scores) detail(c draw.Canvas, d Detail, number int) {
	line := style(tickSize, ink, text.XLeft, text.YTop)
	c.FillText(bold(line), vg.Point{X: c.Min.X, Y: c.Max.Y}, fmt.Sprintf("%d: %s", number, d.Title))
	for j, p := range d.Panels {
		at := c
		at.Min.X += vg.Length(j) * (d.side() + detailGap)
		at.Max.X = at.Min.X + d.side()
		for i, title := range d.titleLines(p) {
			at.FillText(line, vg.Point{X: at.Min.X, Y: at.Max.Y - vg.Length(i+1)*detailLine}, title)
		}
		at.Max.Y = at.Min.Y + detailHeight
		s.panel(d, p).Draw(at)
	}
}

// times returns marks of an axis of times.
func (s Scores) times(about int) plot.Ticker {
	if s.Dated {
		return dates{about}
	}
	return even{about, 0}
}

// main draws the scores.
func (s Scores) main() *plot.Plot {
	p := newPlot(s.X, s.Y)
	p.X.Tick.Marker, p.Y.Tick.Marker = s.times(6), even{6, 0}
	low, high, beyond := s.ends()
	if beyond {
		p.Y.Label.Text += "; larger ones at the top"
	}
	span := s.Of.Span()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = span.From, span.To, low, high
	s.narrow(&p.X)
	widen(&p.Y)
	p.Add(spans(s.Events), grid{})
	addTrace(p, s.Of, 0, low, high, stroke(blue, 0.9))
	var anomalies plotter.XYs
	for _, line := range s.Of.lines(2, low, high) {
		anomalies = append(anomalies, line...)
	}
	p.Add(dots(anomalies, orange, 2), s.Of.edges(2, low, high, orange))
	addTrace(p, s.Of, 1, low, high, stroke(ink, 1.2, 4, 3))
	if len(s.Details) > 0 {
		p.Y.Max += 0.07 * (p.Y.Max - p.Y.Min)
		p.Add(numbers(s.Details))
	}
	return p
}

// A few values far from all others are at the edge of an axis, so that they do not squeeze the rest.
const (
	// farScores is how far above the least score the axis ends, in distances from it to the threshold
	// or to most scores.
	farScores = 2
	// farValues is how far from most values of a sensor the axis ends, in distances between these.
	farValues = 5
	// restShare is the share of a sensor's values that are below most, and of those above.
	restShare = 0.05
)

// ends returns the ends of the axis of scores, and reports whether scores lie above it.
func (s Scores) ends() (low, high float64, beyond bool) {
	low, high = s.Of.Bounds(0, 1)
	if low > high {
		low, high = 0, 1
	}
	var highest []float64
	for _, c := range s.Of.at {
		if v := c.high[0]; v-v == 0 {
			highest = append(highest, v)
		}
		beyond = beyond || math.IsInf(c.high[0], 1)
	}
	if len(highest) == 0 {
		return low, high, beyond
	}
	slices.Sort(highest)
	most := highest[int(farthestShare*float64(len(highest)-1))]
	if limit := s.Of.middle(1); limit > most {
		most = limit
	}
	if far := low + farScores*(most-low); far > low && far < high {
		return low, far, true
	}
	return low, high, beyond
}

// panel draws a sensor of an event.
func (s Scores) panel(d Detail, of SensorPanel) *plot.Plot {
	p := newPlot("", short(of.Unit))
	p.X.Tick.Marker, p.Y.Tick.Marker = s.times(max(2, 6/len(d.Panels))), even{4, 0}
	low, high := d.ends(of)
	span := d.Of.Span()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = span.From, span.To, low, high
	s.narrow(&p.X)
	widen(&p.Y)
	p.Add(spans{d.At}, grid{})
	addTrace(p, d.Of, of.Expected, low, high, stroke(expectedColor, 1.2, 4, 2))
	addTrace(p, d.Of, of.Got, low, high, stroke(gotColor, 1.2))
	p.Add(d.Of.edges(of.Got, low, high, gotColor))
	return p
}

// ends returns the ends of the axis of a sensor.
func (d Detail) ends(of SensorPanel) (low, high float64) {
	low, high = d.Of.Bounds(of.Got, of.Expected)
	var all []float64
	for _, c := range d.Of.at {
		for _, v := range []float64{c.low[of.Got], c.high[of.Got], c.low[of.Expected], c.high[of.Expected]} {
			if v-v == 0 {
				all = append(all, v)
			}
		}
	}
	if len(all) == 0 {
		return 0, 1
	}
	slices.Sort(all)
	rest := int(restShare * float64(len(all)))
	least, most := all[rest], all[len(all)-1-rest]
	if most > least {
		low, high = max(low, least-farValues*(most-least)), min(high, most+farValues*(most-least))
	}
	return low, high
}

// narrow leaves room beside times that hardly differ, if at all.
func (s Scores) narrow(a *plot.Axis) {
	least := 1e-12 * math.Max(math.Abs(a.Min), math.Abs(a.Max))
	if a.Max-a.Min > least {
		return
	}
	pad := math.Max(0.5, least)
	if s.Dated {
		pad = 3600
	}
	a.Min, a.Max = a.Min-pad, a.Max+pad
}

// addTrace adds the lines of a value of a trace. Values that have no neighbours, or are few, are
// dots.
func addTrace(p *plot.Plot, t *Trace, value int, low, high float64, with draw.LineStyle) {
	var alone plotter.XYs
	few := len(t.at) <= fewTimes && len(with.Dashes) == 0
	for _, line := range t.lines(value, low, high) {
		if len(line) == 1 || few {
			alone = append(alone, line...)
		}
		line = corners(line)
		piece := len(line) // pieces would break dashes
		if len(with.Dashes) == 0 {
			piece = linePiece
		}
		for len(line) > 1 {
			n := min(piece, len(line))
			p.Add(&plotter.Line{XYs: line[:n], LineStyle: with})
			line = line[n-1:]
		}
	}
	if len(alone) > 0 {
		p.Add(dots(alone, with.Color, 1.6))
	}
}

// corners returns a line without the points inside its level parts.
func corners(line plotter.XYs) (out plotter.XYs) {
	for _, at := range line {
		if n := len(out); n > 1 && out[n-2].Y == at.Y && out[n-1].Y == at.Y {
			out = out[:n-1]
		}
		out = append(out, at)
	}
	return out
}

// spans shades times.
type spans []Span

// Plot implements [plot.Plotter].
func (s spans) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	const least = vg.Length(1.5)
	end := c.Min.X - 1
	for _, of := range slices.SortedStableFunc(slices.Values(s), func(a, b Span) int { return cmp.Compare(a.From, b.From) }) {
		from, to := x(of.From), x(of.To)
		if to-from < least {
			from, to = (from+to-least)/2, (from+to+least)/2
		}
		from, to = max(from, c.Min.X, end), min(to, c.Max.X)
		if from < to {
			c.FillPolygon(eventColor, box(from, c.Min.Y, to, c.Max.Y))
			end = to
		}
	}
}

// edges marks values that are beyond the ends of an axis.
func (t *Trace) edges(value int, low, high float64, clr color.Color) arrows {
	a := arrows{color: clr}
	for _, c := range t.inTime() {
		if c.high[value] > high {
			a.above = append(a.above, plotter.XY{X: c.time, Y: high})
		}
		if c.low[value] < low {
			a.below = append(a.below, plotter.XY{X: c.time, Y: low})
		}
	}
	return a
}

// arrows point beyond the ends of an axis.
type arrows struct {
	above, below plotter.XYs
	color        color.Color
}

// Plot implements [plot.Plotter].
func (a arrows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, all := range []plotter.XYs{a.above, a.below} {
		long := []vg.Length{6, -6}[i]
		for _, at := range all {
			tip := vg.Point{X: x(at.X), Y: y(at.Y) + long/2}
			c.FillPolygon(a.color, []vg.Point{tip, {X: tip.X - 3, Y: tip.Y - long}, {X: tip.X + 3, Y: tip.Y - long}})
		}
	}
}

// numbers writes the numbers of events above the scores. One that has no room beside another is
// below that.
type numbers []Detail

// Plot implements [plot.Plotter].
func (n numbers) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	s := bold(style(tickSize, ink, text.XCenter, text.YCenter))
	var taken []vg.Rectangle
	for i, d := range n {
		name := fmt.Sprint(i + 1)
		size := vg.Point{X: s.Width(name) + 4, Y: s.Height(name) + 2}
		at := vg.Point{X: (x(d.At.From) + x(d.At.To)) / 2, Y: c.Max.Y - size.Y/2}
		for slices.ContainsFunc(taken, func(r vg.Rectangle) bool { return overlap(r, around(at, size)) }) {
			at.Y -= size.Y
		}
		taken = append(taken, around(at, size))
		haloed(c, s, at, name)
	}
}
