package discrepancy

import (
	"math"
	"slices"
	"testing"
)

// Numbers of all sizes and signs, equal ones and infinities are sorted as by the standard library.
func TestSortNumbers(t *testing.T) {
	for _, n := range []int{0, 1, 7, fewValues - 1, fewValues, 5000} {
		x := normals(n, uint64(n))
		for i := range x {
			switch i % 7 {
			case 0:
				x[i] = math.Ldexp(x[i], i%600-300)
			case 1:
				x[i] = float64(float32(x[i]))
			case 2:
				x[i] = math.Round(x[i])
			case 3:
				x[i] = math.Copysign(0, x[i])
			}
		}
		if n > 2 {
			x[0], x[n-1] = math.Inf(1), math.Inf(-1)
		}
		want := slices.Sorted(slices.Values(x))
		if sortNumbers(x); !slices.Equal(x, want) {
			t.Errorf("%d numbers are not in order", n)
		}
	}
	same := slices.Repeat([]float64{-3}, 2000)
	if sortNumbers(same); same[0] != -3 || slices.Max(same) != -3 {
		t.Error("equal numbers have changed")
	}
}
