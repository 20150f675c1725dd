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
		want bool
	}{
		{[]float64{1, 2}, true},
		{[]float64{3, 4}, true},
		{[]float64{2, 1}, false},
		{[]float64{1, math.Nextafter(2, 3)}, false},
		{[]float64{1, math.NaN()}, false},
		{[]float64{5, 6}, false}, // occurs twice
	} {
		if got := k.Has(c.row); got != c.want {
			t.Errorf("%v: %t, want %t", c.row, got, c.want)
		}
	}
}
