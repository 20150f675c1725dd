package plots

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// A trace keeps the ends of time and of values, in memory that does not grow with their number,
// whatever the order of the times and the sizes of their steps.
func TestTraceKeepsTheLeastAndTheGreatest(t *testing.T) {
	const n, cells = 20_000, 50
	rng := rand.New(rand.NewPCG(1, 2))
	for name, time := range map[string]func(i int) float64{
		"even":       func(i int) float64 { return 1.7e9 + float64(i) },
		"descending": func(i int) float64 { return -float64(i) / 7 },
		"equal":      func(int) float64 { return 3 },
		"growing":    func(i int) float64 { return math.Pow(1.03, float64(i)) },
		"any order":  func(int) float64 { return rng.NormFloat64() },
		"a gap":      func(i int) float64 { return float64(i) + float64(i/10_000)*1e9 },
		"jumps":      func(i int) float64 { return float64(i%2)*1e300 + float64(i) },
	} {
		tr := NewTrace(cells)
		first, last := math.Inf(1), math.Inf(-1)
		least, greatest := math.Inf(1), math.Inf(-1)
		for i := range n {
			at, v := time(i), rng.NormFloat64()
			if math.IsInf(at, 0) {
				break
			}
			tr.Add(at, []float64{v, math.NaN()})
			first, last, least, greatest = min(first, at), max(last, at), min(least, v), max(greatest, v)
		}
		if low, high := tr.Bounds(0, 1); low != least || high != greatest {
			t.Errorf("%s: values from %g to %g, want %g to %g", name, low, high, least, greatest)
		}
		if len(tr.at) > 2*cells || last > first && len(tr.at) < 2 {
			t.Errorf("%s: %d cells", name, len(tr.at))
		}
		cell := 2 * (last - first) / cells
		if s := tr.Span(); s.From < first || s.To > last || s.From-first > cell || last-s.To > cell {
			t.Errorf("%s: from %g to %g, want about %g to %g", name, s.From, s.To, first, last)
		}
		if times := tr.inTime(); !slices.IsSortedFunc(times, func(a, b *traceCell) int { return int(math.Copysign(1, a.time-b.time)) }) {
			t.Errorf("%s: times are not in order", name)
		}
	}
}

// Few values are drawn where they are. A line ends at a gap in time and at a missing value, and
// values beyond the axis are at its end.
func TestLinesOfATrace(t *testing.T) {
	tr := NewTrace(ScoreCells)
	missing := math.NaN()
	tr.Add(math.NaN(), []float64{1})
	tr.Add(math.Inf(1), []float64{1})
	for i, v := range []float64{1, 2, missing, 4, math.Inf(1), math.Inf(-1)} {
		tr.Add(float64(i), []float64{v})
	}
	tr.Add(100, []float64{7})
	want := []plotter.XYs{{{X: 0, Y: 1}, {X: 1, Y: 2}}, {{X: 3, Y: 4}, {X: 4, Y: 9}, {X: 5, Y: 0}}, {{X: 100, Y: 7}}}
	if got := tr.lines(0, 0, 9); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if a := tr.edges(0, 0, 9, ink); len(a.above) != 1 || len(a.below) != 1 {
		t.Errorf("beyond the axis: %v", a)
	}
	if got := NewTrace(3).lines(0, 0, 9); got != nil {
		t.Errorf("without values: %v", got)
	}
}

func TestCorners(t *testing.T) {
	line := plotter.XYs{{X: 0, Y: 1}, {X: 1, Y: 1}, {X: 2, Y: 1}, {X: 3, Y: 2}, {X: 4, Y: 2}}
	want := plotter.XYs{line[0], line[2], line[3], line[4]}
	if got := corners(line); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
