package portable_test

import (
	"math"
	"testing"

	"github.com/collabdict/collabdict/internal/numeric/portable"
)

func TestNorm(t *testing.T) {
	for _, unit := range []float64{1, 0x1p-1060, 0x1p1020} {
		if got := portable.Norm([]float64{3 * unit, 0, -4 * unit}); got != 5*unit {
			t.Errorf("got %g, want %g", got, 5*unit)
		}
	}
	if got := portable.Norm(nil); got != 0 {
		t.Errorf("got %g, want 0", got)
	}
	if got := portable.Norm([]float64{1, math.Inf(-1)}); !math.IsInf(got, 1) {
		t.Errorf("got %g, want +Inf", got)
	}
	if got := portable.Norm([]float64{1, math.NaN(), 2}); !math.IsNaN(got) {
		t.Errorf("got %g, want NaN", got)
	}
}
