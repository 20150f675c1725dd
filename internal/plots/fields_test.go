package plots

import (
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The same fields give the same bytes, with few boxes: cells of one shade in a row are one box.
func TestFields(t *testing.T) {
	f := Fields{
		Name: "f", Title: "T", Low: "no", High: "yes", From: -1, To: 1, Columns: 2,
		Panels: []Field{
			{Title: "even", Value: func(_, _ float64) float64 { return 1 }},
			{Title: "halves", Value: func(x, _ float64) float64 { return 3 * x }, Low: Points{[]float64{-0.5}, []float64{0}}},
		},
	}
	var files [2]string
	for i := range files {
		dir := t.TempDir()
		if err := Draw(dir, f); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, "f.svg"))
		if err != nil {
			t.Fatal(err)
		}
		files[i] = string(b)
	}
	if files[0] != files[1] {
		t.Error("the same fields give other bytes")
	}
	if n := strings.Count(files[0], "<path"); n < 3*fieldCells || n > 30*fieldCells {
		t.Errorf("got %d paths for %d rows of 1, and about 22, boxes", n, fieldCells)
	}
}

func TestShades(t *testing.T) {
	for v, want := range map[float64]color.Color{0: orange, 0.5: white, 1: blue} {
		if got := shade(v); got != want {
			t.Errorf("%g is %v, want %v", v, got, want)
		}
	}
}
