package plots

import (
	"fmt"
	"image/color"
	"math"
	"time"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/collabdict/collabdict/internal/run/report"
)

// board is a canvas with time on the x axis and height on the y axis.
type board struct {
	draw.Canvas
	end time.Duration
	x   func(time.Duration) vg.Length // times up to end
	y   func(float64) vg.Length
}

func (b board) fill(clr color.Color, from, to time.Duration, low, high float64) {
	if from < b.end {
		b.FillPolygon(clr, box(b.x(from), b.y(low), b.x(to), b.y(high)))
	}
}

// on draws the timeline on a board.
func (l *lanes) on(b board) {
	if l.many() {
		l.areas(b)
	} else {
		l.rows(b)
	}
	l.rounds(b)
	for i, lane := range l.faults {
		low := l.lane(i + 1)
		for _, f := range lane {
			b.fill(purple, f.From, f.To, low+3, low+laneHeight-3)
			for _, t := range []time.Duration{f.From, f.To} {
				if t > 0 && t < l.end {
					b.StrokeLine2(stroke(purple, 0.8, 3, 2), b.x(t), b.y(0), b.x(t), b.y(low+3))
				}
			}
		}
	}
}

// rows draws one row per member, with gaps between them if they are high enough. Otherwise they
// share one background, so that no seams show.
func (l *lanes) rows(b board) {
	gap, ground := 2.5, states
	if len(l.all) > fewRows {
		gap, ground = 0, in
		b.fill(stateColors[in], 0, l.end, 0, l.row*float64(len(l.all)))
	}
	for i, list := range l.all {
		low := float64(len(l.all)-1-i) * l.row
		for _, s := range list {
			if s.state != ground {
				b.fill(stateColors[s.state], s.from, s.to, low+gap, low+l.row-gap)
			}
		}
	}
}

// countParts is the number of times at which members are counted.
const countParts = 400

// areas draws the number of members in each state. Members in the sum are at the bottom, and
// each state is drawn in front of those above it.
func (l *lanes) areas(b board) {
	n := counts(l.all, l.end, countParts)
	top := make([]float64, countParts)
	for i := range top {
		top[i] = float64(len(l.all))
	}
	for s := states - 1; s >= 0; s-- {
		outline := []vg.Point{{X: b.x(0), Y: b.y(0)}}
		for i, high := range top {
			for _, at := range []int{i, i + 1} {
				outline = append(outline, vg.Point{X: b.x(l.end * time.Duration(at) / countParts), Y: b.y(high * l.row)})
			}
			top[i] -= n[s][i]
		}
		b.FillPolygon(stateColors[s], append(outline, vg.Point{X: b.x(l.end), Y: b.y(0)}))
	}
}

// rounds draws a box for each round or group of rounds, with its number if there is room.
func (l *lanes) rounds(b board) {
	s := style(7.5, ink, text.XCenter, text.YCenter)
	low, high := l.lane(0)+2, l.height-2
	from := time.Duration(0)
	for i, g := range l.groups(b.x(l.end) - b.x(0)) {
		shade := faint
		if i%2 == 1 {
			shade = white
		}
		b.fill(shade, from, g.to, low, high)
		if b.x(g.to)-b.x(from) > s.Width(g.name)+2 {
			middle(b.Canvas, s, vg.Point{X: (b.x(from) + b.x(g.to)) / 2, Y: b.y((low + high) / 2)}, g.name)
		}
		from = g.to
	}
	for _, edge := range []float64{low, high} {
		b.StrokeLine2(stroke(faint, 0.5), b.x(0), b.y(edge), b.x(l.end), b.y(edge))
	}
}

// group is a number of rounds, and the end of the last.
type group struct {
	name string
	to   time.Duration
}

const (
	roomForOne  = 12 // room for a number, in points
	roomForMany = 38 // for two
)

// groups returns the rounds in groups: single rounds, or more if the width requires it.
func (l *lanes) groups(width vg.Length) []group {
	slots := l.course.Slots
	if len(slots) == 0 {
		return nil
	}
	last := slots[len(slots)-1].Round
	size := 1
	if float64(last)*roomForOne > float64(width) {
		size = int(math.Ceil(roundUp(float64(last) * roomForMany / float64(width))))
	}
	of := func(s report.Slot) int { return (s.Round + size - 1) / size }
	var all []group
	for i, s := range slots {
		if i+1 < len(slots) && of(slots[i+1]) == of(s) {
			continue
		}
		g := group{fmt.Sprintf("%d–%d", size*(of(s)-1)+1, min(size*of(s), last)), s.At}
		switch {
		case s.Round == 0:
			g.name = "start"
		case size == 1:
			g.name = fmt.Sprint(s.Round)
		}
		all = append(all, g)
	}
	return all
}
