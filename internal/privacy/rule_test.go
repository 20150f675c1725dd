package privacy

import (
	"math"
	"testing"

	"github.com/collabdict/collabdict/algorithm"
)

// Equal shares of n training rows count as n/W rows of the data.
func TestRuleCountsRowsOfTheData(t *testing.T) {
	even := func(n float64) Shares { return SharesOf(n, 0, 1) }
	for _, c := range []struct {
		shares Shares
		each   int
		below  bool
	}{
		{even(4), 0, true},
		{even(5), 0, false},
		{even(5), 1, false},
		{even(20), 20, true},
		{even(99), 20, true},
		{even(100), 20, false},
		{Shares{1e6, math.Log(1e5), 0.4}, 1, false},
		{Shares{1e6, math.Log(1e5), 0.4}, 2, true}, // one row may have 0.8 of the weight
		{Shares{}, 20, false},
	} {
		r := Rule{Least: 5, Policy: Stop}
		r.Prepare(algorithm.Coordinates{RowsEach: c.each})
		if got := r.Below(c.shares); got != c.below {
			t.Errorf("%+v with %d training rows for each row: got %v, want %v", c.shares, c.each, got, c.below)
		}
		if got := r.LeastRows(); got != 5*max(1, c.each) {
			t.Errorf("want at least %d training rows, got %d", 5*max(1, c.each), got)
		}
	}
	r := Rule{Least: 5}
	r.Prepare(algorithm.Coordinates{RowsEach: 4})
	got, want := r.Diversity(Diversity{math.Log(8), math.Log(2), math.Log(4)}), Diversity{Max: math.Log(8) - math.Log(4)}
	if got != want {
		t.Errorf("got the diversity %+v, want %+v", got, want)
	}
}
