package consensus

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
)

func TestLayoutOf(t *testing.T) {
	counts, firsts, seconds, low := collabdict.Counts, collabdict.FirstMoments, collabdict.SecondMoments, collabdict.LowWords
	for name, c := range map[string]struct {
		blocks []collabdict.Block
		want   layout
	}{
		"no moments": {[]collabdict.Block{{Len: 3}}, layout{}},
		"two clusterings, a number, and low words": {
			[]collabdict.Block{{Len: 2, Moment: counts}, {Len: 2, Moment: firsts}, {Len: 4, Moment: firsts}, {Len: 2, Moment: counts}, {Len: 2, Moment: firsts}, {Len: 1}, {Len: 13, Moment: low}},
			layout{[]mixture{{0, 2, 8}, {8, 2, 12}}, 13},
		},
		"all moments after a number": {
			[]collabdict.Block{{Len: 1}, {Len: 3, Moment: counts}, {Len: 3, Moment: firsts}, {Len: 3, Moment: seconds}, {Len: 2}},
			layout{[]mixture{{1, 3, 10}}, 0},
		},
		"noisy moments": {[]collabdict.Block{{Len: 9, Moment: collabdict.Noisy}}, layout{}},
	} {
		n := 0
		for _, b := range c.blocks {
			n += b.Len
		}
		got := layoutOf(c.blocks)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
		if !got.fits(n) {
			t.Errorf("%s: it does not fit its own vector", name)
		}
		if len(got.Mixtures) > 0 && got.fits(n-1) && got.fits(got.Mixtures[0].End-1) {
			t.Errorf("%s: it fits a vector without its end", name)
		}
	}
}

// entries returns a call with the moments of ten rows of value 1 in two components, a part of the
// objective, and another value. The first component has the given number of rows.
func entries(round uint32, in float64) func(int) Call {
	return func(int) Call {
		return Call{
			Kind: Sum, Round: round, Running: collabdict.Running{Key: "k"}, Values: []float64{in, 10 - in, in, 10 - in, in, in},
			Blocks: []collabdict.Block{{Len: 2, Bound: 64, Moment: collabdict.Counts}, {Len: 2, Bound: 64, Moment: collabdict.FirstMoments}, {Len: 1, Bound: 64, Moment: collabdict.Objective}, {Len: 1, Bound: 64}},
		}
	}
}

// While a member is missing that was lost early, the others keep at least half of the rows that each
// had in a component: otherwise the total would show what is left, the missing member's rows.
func TestNobodyLeavesAComponentToAMissingMember(t *testing.T) {
	for name, volatile := range map[string]bool{"on disk": false, "in memory": true} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t, 5, exact)
			n.volatile = volatile
			for s := range n.members {
				n.members[s].Machine = must(New(n.params(s)))
			}
			var all []func(int) Call
			next := func(in, counted float64, present int) {
				t.Helper()
				all = append(all, entries(uint32(StartRounds+len(all)), in))
				n.play(all[len(all)-1])
				missing, of := float64(8*(5-present)), float64(present)
				rows := of*counted + missing
				if got, want := n.total(), []float64{rows, 50 - rows, rows, 50 - rows, rows, of*in + missing}; !slices.Equal(got, want) {
					t.Errorf("%g rows of each of %d members: got %v, want %v", in, present, got, want)
				}
			}
			next(8, 8, 5)
			n.isolate(4)
			next(0, 8, 4) // in the slot of the loss already
			next(7, 7, 4)
			next(3, 7, 4)  // half of the largest, not of the last
			if !volatile { // otherwise it is left out of the next slot
				n.kill(3)
				n.restart(3)
				n.catchUp(3, func(s int) Call { return all[n.members[s].calls](s) })
			}
			next(5, 5, 4)
			next(3, 5, 4) // 3 is still too few, also at the member that has restarted
			next(8, 5, 4) // which would take rows out of the other component
			next(6, 6, 4)
			n.restart(4)
			n.catchUp(4, func(s int) Call { return all[n.members[s].calls](s) })
			n.pass(20*time.Second, nil)
			next(0, 0, 5) // nobody is missing
		})
	}
}

// Once most rows stay in their component, the loss of a member holds nobody back.
func TestALateLossHoldsNobodyBack(t *testing.T) {
	n := newNetwork(t, 5, exact)
	n.play(entries(StartRounds+1, 8))
	n.isolate(4)
	n.play(entries(StartRounds+2, 0))
	if got, want := n.total(), []float64{8, 42, 8, 42, 8, 8}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
