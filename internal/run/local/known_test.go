package local

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestKnownRows(t *testing.T) {
	k := NewNearest(mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 5, 6})).Known()
	for _, c := range []struct {
		row  []float64
		want int // -1 if it is not found
	}{
		{[]float64{1, 2}, 0},
		{[]float64{3, 4}, 1},
		{[]float64{2, 1}, -1},
		{[]float64{1, math.Nextafter(2, 3)}, -1},
		{[]float64{1, math.NaN()}, -1},
		{[]float64{5, 6}, -1}, // occurs twice
	} {
		if got, found := k.Find(c.row); found != (c.want >= 0) || found && got != c.want {
			t.Errorf("%v: %d, %t, want %d", c.row, got, found, c.want)
		}
	}
}
