package beta

import (
	"testing"

	"github.com/collabdict/collabdict/internal/testkit/grouptest"
)

// Over the protocol the model equals that of plain sums, except for the rounding that hides the
// summands.
func TestOverTheProtocol(t *testing.T) {
	w := weightings()["periodic"]
	w.Publish = true
	c, own := small(w), owns(1)
	c.Conditioned = true
	here, _ := inLockstep(t, c, own, 3)
	there, _ := together(t, grouptest.Protocol(t), c, own, 3)
	for k := range here {
		if far := max(grouptest.Farthest(parameters(here[k]), parameters(there[k])), grouptest.Farthest(here[k].State().Conditions, there[k].State().Conditions)); far > 1e-5 {
			t.Errorf("member %d: parameters differ by %g from those of plain sums", k, far)
		}
	}
	if got := there[2].Standings(); len(got) != len(own) || got[0].Discrepancy != there[0].Standing().Discrepancy {
		t.Errorf("got standings %+v", got)
	}
}

// A member that was away gets the missed rounds from the others.
func TestMemberIsAway(t *testing.T) {
	own := append(owns(1), owns(2)...)
	_, rounds := together(t, grouptest.Protocol(t, grouptest.Away(4)), small(weightings()["periodic"]), own, 8)
	less := 0
	for _, r := range rounds {
		if r.Weight < 0.99 {
			less++
		}
	}
	if less == 0 || rounds[7].Weight < 0.99 {
		t.Errorf("want some rounds without member 4, and the last with it, got %+v", rounds)
	}
}
