package privacy

import (
	"slices"
	"strings"
	"testing"
)

func TestLone(t *testing.T) {
	own := []float64{40, 98, 0.5, 0, 1, 99.5}
	all := []float64{100, 100, 0.5, 0, 1, 99.9}
	if got := Lone(own, all); !slices.Equal(got, []int{4, 5}) {
		t.Error(got)
	}
	if got := Lone(nil, all); got != nil {
		t.Errorf("of a participant that is in no total: %v", got)
	}
	if got := LoneWarnings([]int{0, 3, 4}); len(got) != 1 || !strings.Contains(got[0], "1, 4, 5") {
		t.Error(got)
	}
	if got := LoneWarnings(nil); got != nil {
		t.Error(got)
	}
}
