package plots

import (
	"fmt"
	"image/color"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/collabdict/collabdict/internal/run/report"
)

var (
	stateColors = [states]color.Color{in: sky, out: orange, down: ink}
	stateLabels = [states]string{in: "in the sum", out: "there, but not in the sum", down: "down"}
)

const (
	laneHeight = 15.0 // points
	fewRows    = 40   // most rows that have names
	manyRows   = 300  // most members with a row each; more are counted
	rowsHeight = 400.0
	areaHeight = 240.0
)

// timeline draws which members were in the sums, left out or down, below the rounds and faults.
// It has one row per member, or their numbers if there are many members.
func timeline(c *report.Course) *figure {
	t := newLanes(c)
	p := newPlot(fmt.Sprintf("virtual time (%s)", t.unit.name), "")
	p.X.Min, p.X.Max, p.X.Padding = 0, float64(t.end)/t.unit.of, 0
	p.Y.LineStyle.Width, p.Y.Tick.Length = 0, 0
	p.X.Tick.Marker = even{9, 0}
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = 0, t.height, plot.ConstantTicks(t.labels)
	p.Add(grid{onlyX: true}, t)
	f := &figure{
		name: "timeline", title: "Views and faults", height: vg.Length(t.height) + 105, Plot: p,
		subtitle: fmt.Sprintf("%s, %d calls decided in %s", members(len(c.Names)), len(c.Slots), t.unit.show(float64(decided(c)))),
	}
	if c.Failed {
		f.subtitle += fmt.Sprintf(", then none until it ended at %s", t.unit.show(float64(c.Virtual)))
	}
	if t.many() {
		p.Y.Label.Text = "number of members"
	}
	for s, label := range stateLabels {
		if t.shows(state(s)) {
			f.keys = append(f.keys, key{label: label, fill: stateColors[s]})
		}
	}
	if len(t.faults) > 0 {
		f.keys = append(f.keys, key{label: "fault", fill: purple})
	}
	return f
}

// lanes draws a timeline. Heights are in points, from the bottom.
type lanes struct {
	course *report.Course
	end    time.Duration
	unit   unit
	all    [][]stretch
	faults [][]report.Fault // by band
	height float64
	row    float64 // of a member
	labels []plot.Tick
}

func newLanes(c *report.Course) *lanes {
	l := &lanes{course: c, end: end(c), all: stretches(c)}
	l.faults = faultLanes(slices.DeleteFunc(slices.Clone(c.Faults), func(f report.Fault) bool { return f.From >= l.end }))
	l.unit = timeUnit(l.end)
	n := len(c.Names)
	switch {
	case n <= fewRows:
		l.row = laneHeight
	case !l.many():
		l.row = rowsHeight / float64(n)
	default:
		l.row = areaHeight / float64(n)
	}
	rows := l.row * float64(n)
	l.height = rows + laneHeight*(float64(len(l.faults))+1.6)
	l.label(l.height-laneHeight/2, "round")
	for i, lane := range l.faults {
		l.label(l.lane(i+1)+laneHeight/2, short(lane[0].Label))
	}
	if l.many() {
		for _, t := range (even{5, 1}).Ticks(0, float64(n)) {
			l.label(t.Value*l.row, t.Label)
		}
		return l
	}
	every := 1
	for float64(every)*l.row < 11 {
		every = int(roundUp(float64(every + 1)))
	}
	for i := 0; i < n; i += every {
		l.label(rows-(float64(i)+0.5)*l.row, short(c.Names[i]))
	}
	return l
}

func (l *lanes) label(y float64, text string) {
	l.labels = append(l.labels, plot.Tick{Value: y, Label: text})
}

func (l *lanes) many() bool { return len(l.all) > manyRows }

// lane returns the bottom of band i above the members' rows, counted from the top.
func (l *lanes) lane(i int) float64 { return l.height - laneHeight*float64(i+1) }

// shows reports whether a member is ever in a state.
func (l *lanes) shows(s state) bool {
	return slices.ContainsFunc(l.all, func(list []stretch) bool {
		return slices.ContainsFunc(list, func(x stretch) bool { return x.state == s })
	})
}

const mostFaults = 12

// faultLanes puts faults with the same label into one band. If bands run out, the rest share the
// last.
func faultLanes(faults []report.Fault) [][]report.Fault {
	var all [][]report.Fault
	for _, f := range faults {
		i := slices.IndexFunc(all, func(lane []report.Fault) bool { return lane[0].Label == f.Label })
		if i < 0 {
			all = append(all, nil)
			i = len(all) - 1
		}
		all[i] = append(all[i], f)
	}
	if more := len(all) - mostFaults; more > 0 {
		last := slices.Concat(all[mostFaults-1:]...)
		last[0].Label = fmt.Sprintf("and %d more", more+1)
		all = append(all[:mostFaults-1], last)
	}
	return all
}

// Plot implements [plot.Plotter].
func (l *lanes) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	l.on(board{
		Canvas: c, end: l.end, y: y,
		x: func(t time.Duration) vg.Length { return x(float64(min(t, l.end)) / l.unit.of) },
	})
}
