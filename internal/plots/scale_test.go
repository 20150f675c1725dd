package plots

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// Costs that grow by 5 kB per doubling where a committee decides have such a line; smaller
// rosters do not affect it.
func TestScale(t *testing.T) {
	costs := []Cost{{16, 1000}, {64, 90000}}
	for i := range 6 {
		costs = append(costs, Cost{128 << i, float64(40000 + 5000*i)})
	}
	f := scale(costs, 65)
	b, _, err := f.svg()
	if err != nil {
		t.Fatal(err)
	}
	if len(f.keys) != 2 || !strings.HasPrefix(f.keys[1].label, "5.0 kB more") {
		t.Errorf("keys %+v", f.keys)
	}
	again, _, err := scale(costs, 65).svg()
	if err != nil || !bytes.Equal(b, again) {
		t.Errorf("the same costs give other bytes: %v", err)
	}
	if f.Y.Min != 0 || math.Abs(f.Y.Max-1.08*90) > 1e-9 {
		t.Errorf("from %g to %g kB", f.Y.Min, f.Y.Max)
	}
	if f := scale(costs[:2], 65); len(f.keys) != 0 {
		t.Errorf("a line through nothing: %+v", f.keys)
	}
}
