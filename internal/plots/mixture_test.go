package plots

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

// Pictures of mixtures of any size can be drawn, the same bytes each time.
func TestPicturesOfMixtures(t *testing.T) {
	var all []*figure
	for _, size := range []struct{ variables, panels int }{{1, 1}, {3, 5}, {12, 2}, {40, 3}, {80, 1}} {
		g := Graphs{Name: "graphs", Title: "Direct dependencies"}
		h := Heat{Name: "means", Title: "Means", Low: "below", High: "above"}
		for i := range size.variables {
			g.Names = append(g.Names, fmt.Sprintf("a long name & <%d>", i))
			h.Lines = append(h.Lines, HeatLine{Label: g.Names[i]})
		}
		for k := range size.panels {
			p := Graph{Title: fmt.Sprintf("component %d", k+1)}
			for b := range size.variables {
				for a := range b {
					p.Links = append(p.Links, Link{a, b, math.Sin(float64(a + 3*b + k))})
				}
			}
			g.Panels = append(g.Panels, p)
			h.Columns = append(h.Columns, fmt.Sprint(k+1))
			for i := range h.Lines {
				h.Lines[i].Cells = append(h.Lines[i].Cells, Cell{Shade: 2 * math.Sin(float64(i+k)), Text: "123.4"})
			}
		}
		all = append(all, g.figure(), h.figure())
	}
	for _, values := range [][]float64{nil, {1}, {1, 1, 1}, {math.Inf(1), math.NaN()}, {0, 1, 2, 3, 1e9}} {
		all = append(all, Histogram{Title: "Scores", Groups: []HistogramGroup{{"normal", values}, {"anomaly", []float64{7, 8}}}, Mark: 5, MarkName: "threshold"}.figure())
	}
	for _, f := range all {
		svg, _, err := f.svg()
		again, _, _ := f.svg()
		if err != nil || !bytes.Equal(svg, again) {
			t.Errorf("%s differs when it is drawn again: %v", f.title, err)
		}
		if err := wellFormed(svg); err != nil || bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Errorf("%s: %v, or numbers that are none", f.title, err)
		}
	}
}

// Values far beyond all others are counted in the last bar and do not squeeze the rest.
func TestEndsOfAHistogram(t *testing.T) {
	values := []float64{math.Inf(1)}
	for i := range 1000 {
		values = append(values, float64(i)/100)
	}
	h := Histogram{Groups: []HistogramGroup{{"rows", append(values, 1e6)}}, Mark: 12}
	low, high, beyond := h.ends()
	if low != 0 || high < 12 || high > 20 || !beyond {
		t.Errorf("from %g to %g, beyond: %t", low, high, beyond)
	}
	if name := h.figure().X.Label.Text; !strings.Contains(name, "the last bar has all larger values") {
		t.Errorf("the axis is named %q", name)
	}
	h.Mark = math.NaN()
	if _, high, _ := h.ends(); high < 9.7 || high > 17 {
		t.Errorf("without a mark: to %g", high)
	}
}
