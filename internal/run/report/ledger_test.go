package report

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// decided makes the sums of a run: a round each, over the views by letters.
func decided(views []string, conserved string) *Ledger {
	names := strings.Split("abcdefgh", "")
	l := NewLedger(names, 1, conserved)
	for i, view := range views {
		d := &consensus.Decision{Kind: consensus.Sum, Slot: uint64(i), Round: uint32(i + 1), Total: make([]float64, 2)}
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
	}
	for name, c := range map[string]struct {
		views []string
		want  []change
	}{
		"a view that stays":         {[]string{"abcd", "abcd", "abcd"}, nil},
		"one leaves":                {[]string{"abcd", "abcd", "abc"}, []change{{"d", [2]int{2, 3}}}},
		"one leaves for longer":     {[]string{"abcd", "abc", "abc"}, []change{{"d", [2]int{1, 2}}}},
		"two swap":                  {[]string{"abcd", "abce"}, []change{{"d e", [2]int{1, 2}}}},
		"too many for two to learn": {[]string{"abcdef", "abc"}, nil},
		"apart, and each time": {
			[]string{"abcdefgh", "abc", "abcdefg", "abcdefgh", "abcdefg", "abc"},
			[]change{{"h", [2]int{1, 3}}, {"h", [2]int{3, 4}}, {"h", [2]int{4, 5}}},
		},
	} {
		for conserved, when := range map[string]string{"": "", "N, mean and covariance": "N, mean and covariance"} {
			var got []change
			for _, l := range decided(c.views, conserved).LoneChanges() {
				if l.Slots != [2]uint64{uint64(l.Rounds[0] - 1), uint64(l.Rounds[1] - 1)} || l.Known != when {
					t.Errorf("%s: slots %v of rounds %v, %q is known", name, l.Slots, l.Rounds, l.Known)
				}
				got = append(got, change{strings.Join(l.Members, " "), l.Rounds})
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: got %v, want %v", name, got, c.want)
			}
		}
	}
}

// The ledger warns about what all members know when it becomes known, and once more at the end.
func TestTheLedgerWarns(t *testing.T) {
	const exact = "N, mean and covariance"
	l := decided([]string{"abcd", "abc"}, exact)
	want := []string{"privacy: N, mean and covariance of d are now exactly known to all members: the sums of rounds 1 and 2 differ by d alone"}
	if got := l.News(); len(got) != 1 || got[0].Text != want[0] || got[0].Kind != KnownWarning || !slices.Equal(got[0].Members, []string{"d"}) || l.News() != nil || !slices.Equal(l.Warnings(), want) {
		t.Errorf("got %q, and in the end %q", got, l.Warnings())
	}
	want = []string{"privacy: the contribution of d and e together is now known to all members, up to the others' changes meanwhile: the sums of rounds 1 and 2 differ by d and e together alone"}
	if got := decided([]string{"abcd", "abce"}, "").News(); len(got) != 1 || got[0].Text != want[0] || got[0].Kind != EstimatedWarning || !slices.Equal(got[0].Members, []string{"d", "e"}) {
		t.Errorf("got %q", got)
	}
	many := decided([]string{"abcdefgh", "bcdefgh", "acdefgh", "abdefgh", "abcefgh", "abcdefg"}, exact).Warnings()
	if len(many) != 4 || !strings.Contains(many[3], "more groups of members") {
		t.Errorf("got %q", many)
	}
}

// A member that has come back under a new key is one organisation. Two sums reveal the
// difference between its contributions under the two keys.
func TestAReplacedKeyIsOneOrganisation(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "b"}
	for _, c := range []struct {
		after     []uint32
		conserved string
		members   []string
		told      string
	}{
		{[]uint32{0, 2, 3, 4, 5}, "", []string{"b"}, "privacy: the contribution of b (the difference between its new key and its old key) is now known to all members, up to the others' changes meanwhile: the sums of rounds 1 and 2 differ by b alone"},
		{[]uint32{0, 2, 3, 4, 5}, "N, mean and covariance", []string{"b"}, "privacy: N, mean and covariance of b (the difference between its new key and its old key) are now exactly known to all members: the sums of rounds 1 and 2 differ by b alone"},
		{[]uint32{0, 3, 4, 5}, "", []string{"b", "c"}, "privacy: the contribution of b (the difference between its new key and its old key) and c together is now known to all members, up to the others' changes meanwhile: the sums of rounds 1 and 2 differ by b and c together alone"},
		{[]uint32{0, 4, 5}, "", nil, ""}, // three organisations
	} {
		l := NewLedger(names, 1, c.conserved)
		l.Add(&consensus.Decision{Kind: consensus.Sum, Round: 1, Members: []uint32{0, 1, 2, 3, 4}, Total: make([]float64, 2)})
		l.Add(&consensus.Decision{Kind: consensus.Sum, Slot: 1, Round: 2, Members: c.after, Total: make([]float64, 2)})
		if c.members == nil {
			if l.LoneChanges() != nil {
				t.Errorf("got %+v", l.LoneChanges())
			}
			continue
		}
		if got := l.LoneChanges(); len(got) != 1 || !slices.Equal(got[0].Members, c.members) || !slices.Equal(got[0].Replaced, []string{"b"}) {
			t.Errorf("got %+v, want members %q, and b as replaced", got, c.members)
		}
		if got := l.Warnings(); !slices.Equal(got, []string{c.told}) {
			t.Errorf("got %q, want %q", got, c.told)
		}
	}
}

// Sums that contain the counts and moments of rows are compared whatever their lengths are.
// Other sums are compared with sums of the same length.
func TestSumsThatConserve(t *testing.T) {
	all, some := []uint32{0, 1, 2, 3}, []uint32{0, 1, 2}
	sum := func(slot uint64, round uint32, members []uint32, length int) *consensus.Decision {
		return &consensus.Decision{Kind: consensus.Sum, Slot: slot, Round: round, Members: members, Total: make([]float64, length)}
	}
	counts := func(n int) []collabdict.Block {
		return []collabdict.Block{{Len: 2, Bound: 1, Moment: collabdict.Counts}, {Len: n - 2, Bound: 1}}
	}
	l := NewLedger([]string{"a", "b", "c", "d"}, 1, "N, mean and covariance")
	l.Called([]collabdict.Block{{Len: 64, Bound: 1}}) // a histogram
	l.Add(sum(0, 0, all, 64))
	l.Called(counts(9))
	l.Add(sum(1, 0, some, 9))
	if l.LoneChanges() != nil {
		t.Errorf("a histogram with d, and moments without it: %+v", l.LoneChanges())
	}
	l = NewLedger([]string{"a", "b", "c", "d"}, 1, "N, mean and covariance")
	l.Called(counts(9))
	l.Add(sum(0, 0, all, 9))
	o := NewLedger(l.names, 1, l.conserved)
	o.Knows(l)
	for _, l := range []*Ledger{l, o} {
		l.Called(counts(30))
		l.Add(sum(1, 1, some, 30))
	}
	if c := l.LoneChanges(); len(c) != 1 || c[0].Known == "" || c[0].Rounds != [2]int{0, 1} {
		t.Errorf("moments with and without d: %+v", c)
	}
	if o.LoneChanges() != nil {
		t.Errorf("one sum alone: %+v", o.LoneChanges())
	}
}

// Sums of other lengths, and gathers, are not compared.
func TestOnlySumsOfOneLengthAreCompared(t *testing.T) {
	l := NewLedger([]string{"a", "b", "c", "d"}, 1, "")
	all, some := []uint32{0, 1, 2, 3}, []uint32{0, 1, 2}
	l.Add(&consensus.Decision{Kind: consensus.Gather, Members: all})
	l.Add(&consensus.Decision{Kind: consensus.Sum, Slot: 1, Members: all, Total: []float64{1, 2}})
	l.Add(&consensus.Decision{Kind: consensus.Sum, Slot: 2, Members: some, Total: []float64{1}})
	if l.LoneChanges() != nil || l.Warnings() != nil {
		t.Errorf("got %v", l.LoneChanges())
	}
	l.Add(&consensus.Decision{Kind: consensus.Sum, Slot: 3, Members: some, Total: []float64{1, 3}})
	if w := l.Warnings(); len(l.LoneChanges()) != 1 || len(w) != 1 || !strings.Contains(w[0], "the contribution of d to the start is now exactly known") {
		t.Errorf("got %v, %q", l.LoneChanges(), w)
	}
}

func TestViewsWhereTheyChange(t *testing.T) {
	views := decided([]string{"abcdefgh", "abcdefgh", "abc", "abc", "abcdefgh"}, "").Views()
	var rounds, sizes []int
	for _, v := range views {
		rounds, sizes = append(rounds, v.Round), append(sizes, len(v.Members))
	}
	if !reflect.DeepEqual(rounds, []int{1, 3, 5}) || !reflect.DeepEqual(sizes, []int{8, 3, 8}) || views[1].Missing[0] != (Missing{"d", "away"}) {
		t.Errorf("got %+v", views)
	}
	l := NewLedger([]string{"a", "b"}, 1, "")
	l.Add(&consensus.Decision{Members: []uint32{0, 1}})
	l.Add(&consensus.Decision{Members: []uint32{0, 1}, Round: 1})
	if v := l.Views(); len(v) != 1 || v[0].Round != 1 {
		t.Errorf("a start-up in which nothing has happened: %+v", v)
	}
}
