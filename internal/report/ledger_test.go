package report

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/consensus"
)

// decided makes the sums of a run: a round each, over the views by letters.
func decided(views []string, totals []float64) *Ledger {
	names := strings.Split("abcdefgh", "")
	l := NewLedger(names, 1)
	for i, view := range views {
		d := &consensus.Decision{Kind: consensus.Sum, Slot: uint64(i), Round: uint32(i + 1), Total: []float64{totals[i], 1}}
		for rank, name := range names {
			if strings.Contains(view, name) {
				d.Members = append(d.Members, uint32(rank))
			} else {
				d.Missing = append(d.Missing, consensus.Missing{Member: uint32(rank), Reason: "away"})
			}
		}
		l.Add(d)
	}
	return l
}

func TestLoneChanges(t *testing.T) {
	type change struct {
		members string
		rounds  [2]int
		drift   float64 // NaN if it is absent
	}
	none := math.NaN()
	for name, c := range map[string]struct {
		views  []string
		totals []float64
		want   []change
	}{
		"a view that stays":         {[]string{"abcd", "abcd", "abcd"}, []float64{1, 2, 3}, nil},
		"one leaves":                {[]string{"abcd", "abcd", "abc"}, []float64{10, 8, 4}, []change{{"d", [2]int{2, 3}, 0.5}}},
		"the drift is known later":  {[]string{"abcd", "abc", "abc"}, []float64{10, 5, 4}, []change{{"d", [2]int{1, 2}, 0.2}}},
		"without drift to go by":    {[]string{"abcd", "abc"}, []float64{10, 5}, []change{{"d", [2]int{1, 2}, none}}},
		"two swap":                  {[]string{"abcd", "abce"}, []float64{3, 4}, []change{{"d e", [2]int{1, 2}, none}}},
		"too many for two to learn": {[]string{"abcdef", "abc"}, []float64{3, 4}, nil},
		"apart, and each time": {
			[]string{"abcdefgh", "abc", "abcdefg", "abcdefgh", "abcdefg", "abc"},
			[]float64{1, 2, 3, 4, 5, 6},
			[]change{{"h", [2]int{1, 3}, none}, {"h", [2]int{3, 4}, none}, {"h", [2]int{4, 5}, none}},
		},
	} {
		var got []change
		for _, l := range decided(c.views, c.totals).LoneChanges() {
			g := change{strings.Join(l.Members, " "), l.Rounds, none}
			if l.Slots != [2]uint64{uint64(l.Rounds[0] - 1), uint64(l.Rounds[1] - 1)} {
				t.Errorf("%s: slots %v of rounds %v", name, l.Slots, l.Rounds)
			}
			if l.Drift != nil {
				g.drift = *l.Drift
			}
			got = append(got, g)
		}
		same := len(got) == len(c.want)
		for i := 0; same && i < len(got); i++ {
			a, b := got[i], c.want[i]
			same = a.members == b.members && a.rounds == b.rounds && (a.drift == b.drift || math.IsNaN(a.drift) && math.IsNaN(b.drift))
		}
		if !same {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// Sums of other lengths, and gathers, are not compared.
func TestOnlySumsOfOneLengthAreCompared(t *testing.T) {
	l := NewLedger([]string{"a", "b", "c", "d"}, 1)
	all, some := []uint32{0, 1, 2, 3}, []uint32{0, 1, 2}
	l.Add(&consensus.Decision{Kind: consensus.Gather, Members: all})
	l.Add(&consensus.Decision{Kind: consensus.Sum, Slot: 1, Members: all, Total: []float64{1, 2}})
	l.Add(&consensus.Decision{Kind: consensus.Sum, Slot: 2, Members: some, Total: []float64{1}})
	if l.LoneChanges() != nil || l.Warnings() != nil {
		t.Errorf("got %v", l.LoneChanges())
	}
	l.Add(&consensus.Decision{Kind: consensus.Sum, Slot: 3, Members: some, Total: []float64{1, 3}})
	if w := l.Warnings(); len(l.LoneChanges()) != 1 || len(w) != 1 || !strings.Contains(w[0], "differ by d alone") {
		t.Errorf("got %v, %q", l.LoneChanges(), w)
	}
}

func TestViewsWhereTheyChange(t *testing.T) {
	views := decided([]string{"abcdefgh", "abcdefgh", "abc", "abc", "abcdefgh"}, make([]float64, 5)).Views()
	var rounds, sizes []int
	for _, v := range views {
		rounds, sizes = append(rounds, v.Round), append(sizes, len(v.Members))
	}
	if !reflect.DeepEqual(rounds, []int{1, 3, 5}) || !reflect.DeepEqual(sizes, []int{8, 3, 8}) || views[1].Missing[0] != (Missing{"d", "away"}) {
		t.Errorf("got %+v", views)
	}
	l := NewLedger([]string{"a", "b"}, 1)
	l.Add(&consensus.Decision{Members: []uint32{0, 1}})
	l.Add(&consensus.Decision{Members: []uint32{0, 1}, Round: 1})
	if v := l.Views(); len(v) != 1 || v[0].Round != 1 {
		t.Errorf("a start-up in which nothing has happened: %+v", v)
	}
}
