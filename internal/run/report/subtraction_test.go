package report

import (
	"math"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// The error follows from the distance of the two totals and from the movement of totals over one
// view.
func TestErrorsOfSubtraction(t *testing.T) {
	four, three, other := []uint32{0, 1, 2, 3}, []uint32{0, 1, 2}, []uint32{0, 1, 4}
	for name, c := range map[string]struct {
		a, b         []float64
		viewA, viewB []uint32
		moved        []movement
		want         float64
	}{
		"nothing moves":                {[]float64{3, 7}, []float64{3, 0}, four, three, []movement{{0, 4}}, 0},
		"what sets it apart is 5":      {[]float64{4, 5}, []float64{3, 0}, four, three, []movement{{2, 4}}, math.Sqrt(3.0 / 22)},
		"a member comes back":          {[]float64{3, 0}, []float64{4, 5}, three, four, []movement{{2, 4}}, math.Sqrt(3.0 / 22)},
		"in place of another":          {[]float64{3, 5}, []float64{3, 0}, three, other, []movement{{2, 4}}, math.Sqrt(2.0 / 23)},
		"the median of three":          {[]float64{4, 5}, []float64{3, 0}, four, three, []movement{{2, 4}, {99, 4}, {0, 4}}, math.Sqrt(3.0 / 22)},
		"the last three":               {[]float64{4, 5}, []float64{3, 0}, four, three, []movement{{99, 4}, {99, 4}, {2, 4}, {2, 4}, {2, 4}}, math.Sqrt(3.0 / 22)},
		"as a member's part":           {[]float64{4, 5}, []float64{3, 0}, four, three, []movement{{3, 9}}, math.Sqrt(3.0 / 22)},
		"all that is apart is noise":   {[]float64{4, 5}, []float64{3, 0}, four, three, []movement{{5, 4}}, 1},
		"the guess is exact, as usual": {[]float64{4, 0}, []float64{3, 0}, four, three, []movement{{0, 4}}, 1},
		"nothing is as good as exact":  {[]float64{4, 0}, []float64{3, 0}, four, three, []movement{{2, 4}}, 1},
	} {
		var s subtraction
		if _, known := s.typical(); known {
			t.Error("a typical movement is known before anything has moved")
		}
		for _, m := range c.moved {
			s.add(m)
		}
		m, _ := s.typical()
		if got := differenceOf(c.a, c.b, c.viewA, c.viewB).error(m); !(math.Abs(got-c.want) < 1e-12) {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
}

// For sums over networks, the ledger reports how well their difference reveals a contribution,
// as soon as this can be measured. It ignores the other values in these sums.
func TestTheErrorIsInTheLedger(t *testing.T) {
	blocks := []collabdict.Block{{Len: 2, Bound: 9, Moment: collabdict.Updates}, {Len: 1, Bound: 1e9, Moment: collabdict.Counts}}
	four, three := []uint32{0, 1, 2, 3}, []uint32{0, 1, 2}
	type sum struct {
		members []uint32
		total   []float64
	}
	early := []sum{{four, []float64{4, 5, 400}}, {three, []float64{3, 0, 300}}, {three, []float64{3, math.Sqrt(3), 300}}}
	late := []sum{{four, []float64{4, 3, 400}}, {four, []float64{4, 5, 400}}, {three, []float64{3, 0, 300}}}
	for name, c := range map[string]struct {
		sums      []sum
		conserved string
		told      string
	}{
		"measured before": {late, "", "privacy: the contribution of d is now known to all members, to within about 37 % of its difference from the others': the sums of rounds 2 and 3 differ by d alone"},
		"measured after":  {early, "", "privacy: the contribution of d is now known to all members, to within about 37 % of its difference from the others': the sums of rounds 1 and 2 differ by d alone"},
		"and the rows":    {late, "the number of rows", "privacy: the number of rows of d is now exactly known to all members, and the contribution, to within about 37 % of its difference from the others': the sums of rounds 2 and 3 differ by d alone"},
		"it tells no more": {
			[]sum{{four, []float64{4, -3, 400}}, {four, []float64{4, 9, 400}}, {three, []float64{3, 0, 300}}},
			"",
			"privacy: nobody can do better than guess the contribution of d, since the others have changed more meanwhile: the sums of rounds 2 and 3 differ by d alone",
		},
	} {
		l := NewLedger(strings.Split("abcd", ""), 1, c.conserved)
		for i, s := range c.sums {
			l.Called(blocks)
			l.Add(&consensus.Decision{Kind: consensus.Sum, Slot: uint64(i), Round: uint32(i + 1), Members: s.members, Total: s.total})
		}
		if got := l.Warnings(); len(got) != 1 || got[0] != c.told {
			t.Errorf("%s: %q, want %q", name, got, c.told)
		}
	}
}

// Sums over a network are compared even if running totals scaled the columns before.
func TestNetworksAfterRunningTotals(t *testing.T) {
	l := NewLedger(strings.Split("abcd", ""), 1, "the number of rows")
	four, three := []uint32{0, 1, 2, 3}, []uint32{0, 1, 2}
	l.Called([]collabdict.Block{{Len: 2, Bound: 9, Moment: collabdict.Counts}})
	l.Add(&consensus.Decision{Kind: consensus.Sum, Members: four, Total: []float64{1, 2}, Running: &consensus.Counted{Key: "means", Members: four}})
	for i, members := range [][]uint32{four, three} {
		l.Called([]collabdict.Block{{Len: 2, Bound: 9, Moment: collabdict.Updates}, {Len: 1, Bound: 9, Moment: collabdict.Counts}})
		l.Add(&consensus.Decision{Kind: consensus.Sum, Slot: uint64(i + 1), Round: uint32(i + 1), Members: members, Total: []float64{1, 2, 3}})
	}
	if c := l.LoneChanges(); len(c) != 1 || c[0].Known != "the number of rows" {
		t.Errorf("got %+v", c)
	}
}
