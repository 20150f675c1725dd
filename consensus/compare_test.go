package consensus

import (
	"slices"
	"testing"
)

// If another member leaves because of different parameters, a member reports that reason, even
// before it has heard from all.
func TestLeftForOtherParameters(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		n := newNetwork(t, 3, s)
		for rank := range 2 {
			c := sumOf(1, powers(3), oneBlock)(rank)
			c.Parameters[0] = byte(1 + rank)
			n.call(rank, c)
		}
		for _, d := range n.flight {
			if d.from == 0 && d.to == 1 {
				n.receive(1, 0, d.msg)
			}
		}
		if err := n.members[1].err; err != nil {
			t.Fatalf("ended with %v before it has heard of all", err)
		}
		n.receive(1, 0, Message{Body: &Leave{Reason: "it has left", Blame: []uint32{1}}})
		err, ok := as[*ParametersError](n.members[1].err)
		if !ok || err.Round != 1 || !slices.Equal(err.Names, []string{"m0", "m1"}) || err.Most != [32]byte{} {
			t.Errorf("ended with %v", n.members[1].err)
		}
	})
}
