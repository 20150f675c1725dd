package consensus

import (
	"math"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

// More members than the assumed colluders break the protocol. One prepares its own ballot as a
// round begins. Both would leave out another member although they hear it, and let it back
// three rounds later, when the model has converged. Nobody objects. Still, no difference of
// totals shows what stays the same in all rounds, and the run continues with all members.
func TestTooManyColludersLeaveAMemberOut(t *testing.T) {
	const (
		members, rounds = 5, 40
		active, helper  = 1, 2
		victim          = 3
		from, back      = 30, 33
	)
	blocks := []collabdict.Block{{Len: 2, Bound: 1000}, {Len: 1, Bound: 10}}
	vector := func(s, round int) []float64 {
		return []float64{float64(100 + 10*s), float64(s*s) - 7, math.Ldexp(float64(s+1), -round)}
	}
	for _, key := range []string{"statistics", ""} {
		n := newNetwork(t, members, Settings{Scheme: Exact, Protect: chunking.Chunks})
		for round := 1; round <= rounds; round++ {
			for s := range n.members {
				n.call(s, Call{Kind: Sum, Round: uint32(round), Running: collabdict.Running{Key: key}, Values: vector(s, round), Blocks: blocks})
			}
			if round >= from && round < back {
				m, begun := n.members[active], n.flight
				n.flight = nil
				m.monitor.excluded[victim], n.members[helper].monitor.excluded[victim] = true, true
				var e Effects
				m.propose(&e)
				n.carryOut(active, e)
				n.flight = append(n.flight, begun...) // the others have not begun yet
			}
			n.settle()
			n.pass(1<<40, n.over(round))
		}
		last := n.checkDecisions()
		if last == nil || len(last.Members) != members || last.Slot != rounds-1 {
			t.Fatalf("the run ends with %+v\n%s", last, n.describe())
		}
		shown := false
		log := n.members[0].log
		for i, a := range log {
			if out := !slices.Contains(a.Members, victim); out != (i+1 >= from && i+1 < back) {
				t.Errorf("round %d is over %v", i+1, a.Members)
			}
			for _, b := range log[:i] {
				shown = shown || math.Abs(a.Total[0]-b.Total[0]) > 1e-9 || math.Abs(a.Total[1]-b.Total[1]) > 1e-9
			}
		}
		if shown != (key == "") {
			t.Errorf("running total %q: differences of totals show the member: %v", key, shown)
		}
		want := make([]float64, 3)
		for s := range members {
			for i, v := range vector(s, rounds) {
				want[i] += v
			}
		}
		for i, w := range want {
			if math.Abs(last.Total[i]-w) > 1e-9 {
				t.Errorf("running total %q: the last total is %v, want %v", key, last.Total, want)
				break
			}
		}
	}
}
