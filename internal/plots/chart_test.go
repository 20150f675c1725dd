package plots

import (
	"bytes"
	"math"
	"testing"
)

// Values that are not finite are left out, and the same chart gives the same bytes.
func TestChart(t *testing.T) {
	c := Chart{
		Name: "c", Title: "T", X: "alpha", Y: "loglik", Places: []string{"0.1", "0.3"},
		Lines: []Line{
			{Name: "here", X: []float64{0, 1}, Y: []float64{1, 2}, Spread: []float64{0.1, 0}},
			{Name: "published", X: []float64{0, 1}, Y: []float64{math.NaN(), 3}, Published: true},
			{Name: "nothing", X: []float64{0}, Y: []float64{math.Inf(1)}},
		},
	}
	at, bars := c.points(c.Lines[0], 0)
	if len(at) != 2 || len(bars) != 1 || bars[0][0].Y != 0.9 || bars[0][1].Y != 1.1 {
		t.Errorf("at %v, bars %v", at, bars)
	}
	if at, _ := c.points(c.Lines[1], 1); len(at) != 1 || at[0].Y != 3 {
		t.Errorf("at %v", at)
	}
	f := c.figure()
	if f.Y.Min > 0.9 || f.Y.Max < 3 || f.Y.Max > 4 {
		t.Errorf("from %g to %g", f.Y.Min, f.Y.Max)
	}
	if len(f.keys) != 2 || f.keys[1].dot != f.keys[0].line.Color {
		t.Errorf("keys %+v: want what is published in the colour of the line before it", f.keys)
	}
	a, _, err := f.svg()
	if err != nil {
		t.Fatal(err)
	}
	if b, _, err := c.figure().svg(); err != nil || !bytes.Equal(a, b) {
		t.Errorf("the same chart gives other bytes: %v", err)
	}
	c = Chart{Name: "d", X: "participants", Y: "ms", Doubling: true, Decades: true, Lines: []Line{{Name: "a", X: []float64{5, 65}, Y: []float64{10, 1000}}}}
	if at, _ := c.points(c.Lines[0], 0); at[1].X != math.Log2(65) || at[1].Y != 3 {
		t.Errorf("at %v", at)
	}
}
