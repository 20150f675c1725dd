package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// Slots with the same content are one entry, with their number and the number of rows.
func TestEntriesOfARun(t *testing.T) {
	l := NewLedger([]string{"a", "b", "c", "d", "e"}, 1, "N, mean and covariance")
	statistics := []collabdict.Block{
		{Len: 2, Bound: 1, Moment: collabdict.Counts},
		{Len: 2, Bound: 1, Moment: collabdict.FirstMoments},
		{Len: 2, Bound: 1, Moment: collabdict.FirstMoments},
		{Len: 6, Bound: 1, Moment: collabdict.SecondMoments},
		{Len: 1, Bound: 1, Moment: collabdict.Objective},
	}
	l.Called(statistics)
	l.Called([]collabdict.Block{{Len: 7, Bound: 1}})
	slot := uint64(0)
	add := func(round uint32, kind consensus.Kind, length int, members ...uint32) {
		slot++
		d := &consensus.Decision{Slot: slot, Kind: kind, Round: round, Members: members, Total: make([]float64, length)}
		if length == 13 {
			d.Running = &consensus.Counted{Key: "statistics", Members: members}
		}
		l.Add(d)
	}
	all := []uint32{0, 1, 2, 3, 4}
	add(0, consensus.Gather, 0, all...)
	add(0, consensus.Sum, 7, all...)
	for round := range uint32(40) {
		add(round+1, consensus.Sum, 13, all...)
	}
	add(41, consensus.Sum, 13, 0, 1, 2, 3)
	add(42, consensus.Sum, 99, all...)
	add(43, consensus.Sum, 13, all...)
	spend := Entry{Kind: NoiseEntry, What: "noise in x", SeenBy: AllMembers, Times: 1, Spend: &Spend{ZCDP: 0.5, Epsilon: 4.38, Delta: 1e-5, Of: "one row"}}
	got := l.Entries(Disclosures{Published: []string{"a nonce", "a bound"}, Learned: []string{"quartiles"}, Rows: 1000, LeastRows: 31.25, Noise: []Entry{spend}})
	var lines []string
	for _, e := range got {
		lines = append(lines, e.Sentence())
	}
	want := []string{
		"start: a message in the clear, of each member: a nonce; a bound. Seen by all members.",
		"start: a total over 5 members of 7 values, such as counts of members or of rows. Seen by all members. It combines 1000 rows.",
		"rounds 1 to 43: 42 totals over 5 members of the number of rows, their sum, and the sum of their products, for each of 2 components in 2 columns; and a part of the objective. Seen by all members. It combines 1000 rows; the smallest component, at the end, 31.25.",
		"round 42: a total over 5 members of 99 values. Seen by all members. It combines 1000 rows.",
		"start: what the sums at the start reveal about the rows of all: quartiles. Seen by all members. It combines 1000 rows.",
		"rounds 40 to 43: how the statistics of e have changed since round 40 is now known to all members, up to the others' changes in round 43. Seen by all members.",
		"noise in x. Seen by all members. Epsilon 4.38 at delta 1e-05 (zCDP 0.5), for one row.",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// The content of a sum over networks, or at the start of a clustering, is described in words.
func TestDescriptionsOfSums(t *testing.T) {
	for want, blocks := range map[string][]collabdict.Block{
		"derivatives or changes of the 40 weights of a network, and 2 further values such as the loss": {{Len: 40, Moment: collabdict.Updates}, {Len: 2}},
		"the number of rows, and their sum, for each of 8 components in 3 columns":                     {{Len: 8, Moment: collabdict.Counts}, {Len: 24, Moment: collabdict.FirstMoments}},
		"the number of rows, their sum, and the sum of their products, in 3 columns":                   {{Len: 1, Moment: collabdict.Counts}, {Len: 3, Moment: collabdict.FirstMoments}, {Len: 6, Moment: collabdict.SecondMoments}, {Len: 10, Moment: collabdict.LowWords}},
	} {
		if got := describe(blocks); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
