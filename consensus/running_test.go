package consensus

import (
	"slices"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
)

func accumulation(r collabdict.Running, round uint32, bound float64, value func(s int) []float64) func(s int) Call {
	return func(s int) Call {
		x := value(s)
		return Call{Kind: Sum, Round: round, Running: r, Values: x, Blocks: []collabdict.Block{{Len: len(x), Bound: bound}}}
	}
}

// total returns the total of the last slot, which must be equal at all live members.
func (n *network) total(held ...uint32) []float64 {
	n.t.Helper()
	d := n.checkDecisions()
	if !slices.Equal(d.held(), held) {
		n.t.Errorf("held back are %v, want %v", d.held(), held)
	}
	return d.Total
}

// The quanta of a running total are those of its members' vectors, so that fractions stay exact.
func TestARunningTotalKeepsFractions(t *testing.T) {
	for name, s := range map[string]Settings{"exact": exact, "laplacian": floating} {
		n := newNetwork(t, 5, s)
		n.play(accumulation(collabdict.Running{Key: "k"}, 0, 64, func(s int) []float64 { return []float64{float64(s) / 4, 3.5} }))
		if got := n.total(); !slices.Equal(got, []float64{2.5, 17.5}) {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// A running total can begin as another one, both in its value and at each member, even at one
// that was lost or has restarted in between. The vector of a member that comes back alone is
// held back during the start-up, but not in later rounds.
func TestARunningTotalBeginsAsAnother(t *testing.T) {
	for name, s := range map[string]Settings{"exact": exact, "laplacian": floating} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t, 5, s)
			moments := accumulation(collabdict.Running{Key: "moments"}, 0, 64, func(s int) []float64 { return []float64{float64(10 + s), 3} })
			n.play(moments)
			if got := n.total(); !slices.Equal(got, []float64{60, 15}) {
				t.Fatalf("got %v", got)
			}
			begin := collabdict.Running{Key: "parts", From: "moments", Parts: [][2]int{{1, 2}, {0, 1}}}
			halves := func(s int) []float64 { return []float64{float64(10 + s), float64(10 + s)} }
			n.isolate(4)
			n.kill(3)
			n.restart(3)
			n.catchUp(3, moments)
			n.play(accumulation(begin, 0, 128, halves))
			if got := n.total(); !slices.Equal(got, []float64{46 + 3, 46 + 14}) {
				t.Errorf("without a member: got %v", got)
			}
			n.restart(4)
			calls := []func(int) Call{moments, accumulation(begin, 0, 128, halves)}
			n.catchUp(4, func(s int) Call { return calls[n.members[s].calls](s) })
			n.play(accumulation(begin, 1, 128, halves))
			if got := n.total(4); !slices.Equal(got, []float64{49, 60}) {
				t.Errorf("with a member that is back: got %v", got)
			}
			if held := n.status(0).Held; !slices.Equal(held, []uint32{4}) {
				t.Errorf("the status lists %v as held back", held)
			}
			n.play(accumulation(begin, 2, 128, halves))
			if got := n.total(); !slices.Equal(got, []float64{60, 60}) {
				t.Errorf("in round 2: got %v", got)
			}
		})
	}
}

// The vector of a member that comes back alone is held back also in the first slot of a total that
// continues another one.
func TestALoneReturnWhereATotalBeginsAsAnother(t *testing.T) {
	n := newNetwork(t, 5, exact)
	moments := accumulation(collabdict.Running{Key: "moments"}, 0, 64, func(s int) []float64 { return []float64{float64(10 + s), 3} })
	n.play(moments)
	n.isolate(4)
	n.play(accumulation(collabdict.Running{Key: "moments"}, 6, 64, func(int) []float64 { return []float64{20, 4} }))
	if got := n.total(); !slices.Equal(got, []float64{94, 19}) {
		t.Fatalf("without a member: got %v", got)
	}
	n.restart(4)
	begin := collabdict.Running{Key: "parts", From: "moments", Parts: [][2]int{{0, 1}}}
	calls := []func(int) Call{
		moments, accumulation(collabdict.Running{Key: "moments"}, 6, 64, func(int) []float64 { return []float64{20, 4} }),
		accumulation(begin, 1, 64, func(int) []float64 { return []float64{30} }),
	}
	n.catchUp(4, func(s int) Call { return calls[n.members[s].calls](s) })
	n.play(calls[2])
	if got := n.total(4); !slices.Equal(got, []float64{4*30 + 14}) {
		t.Errorf("with a member that is back: got %v", got)
	}
}

// A member that has restarted knows which of its vectors is counted, even if the slot was
// decided while it was away, and adds only the difference.
func TestCountedVectorsSurviveARestart(t *testing.T) {
	for _, volatile := range []bool{false, true} {
		n := newNetwork(t, 5, exact)
		n.volatile = volatile
		for s := range n.members {
			n.members[s].Machine = must(New(n.params(s)))
		}
		calls := func(round uint32) func(s int) Call {
			return accumulation(collabdict.Running{Key: "k"}, round, 1024, func(s int) []float64 { return []float64{100, float64(10*int(round) + s)} })
		}
		n.play(calls(2))
		without := 0
		for round := uint32(3); round < 30; round += 2 {
			for s := range n.members {
				n.call(s, calls(round)(s))
			}
			n.deliver(int(round)) // messages delivered before the member is lost
			n.isolate(2)
			n.settle()
			n.pass(time.Hour, n.over(int(round)-1))
			if d := lastDecision(n, 0); !d.Counts(2) {
				without++
			}
			n.restart(2)
			if round%4 == 1 {
				n.pass(20*time.Second, nil) // it learns the decisions before its learner calls
			}
			n.catchUp(2, calls(round))
			n.pass(20*time.Second, nil) // the others hear its heartbeats
			n.play(calls(round + 1))
			if got := n.total(); got[0] != 500 || got[1] != float64(50*(int(round)+1)+10) {
				t.Fatalf("volatile %t, round %d: got %v", volatile, round+1, got)
			}
		}
		if without == 0 || without == 14 {
			t.Errorf("volatile %t: the member was lost before it counted %d times of 14: nothing is tested", volatile, without)
		}
	}
}

func lastDecision(n *network, s int) *Decision {
	return n.members[s].log[len(n.members[s].log)-1]
}
