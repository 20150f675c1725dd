package privacy

import (
	"math"
	"testing"
)

// to three digits.
func TestGaussianPrivacy(t *testing.T) {
	for _, c := range [][2]float64{{0.0447, 0.142}, {0.1414, 0.497}, {0.4472, 1.76}, {1, 4.38}, {1.4142, 6.57}, {2, 10.0}} {
		if got := GaussianRatio(c[1], 1e-5); math.Abs(got-c[0]) > 0.006*c[0] {
			t.Errorf("ε = %g: ratio %.4f, want %.4f", c[1], got, c[0])
		}
	}
	if got := deltaOf(1, 1); math.Abs(got-0.12693673750664403) > 1e-12 {
		t.Errorf("δ(1; 1) is %.15g", got)
	}
}
