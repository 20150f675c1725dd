package cgau

import (
	"testing"

	"github.com/collabdict/collabdict/internal/testkit/grouptest"
)

// Over the protocol the model equals that of plain sums, except for the rounding that hides the
// summands.
func TestOverTheProtocol(t *testing.T) {
	c, own := small(), owns()
	here, _ := inLockstep(t, c, own, 4)
	there, _ := together(t, grouptest.Protocol(t), c, own, 4)
	for k := range here {
		a, b := here[k].State(), there[k].State()
		if far := max(grouptest.Farthest(a.Shared, b.Shared), grouptest.Farthest(a.Conditions, b.Conditions)); far > 1e-5 {
			t.Errorf("member %d: parameters differ by %g from those of plain sums", k, far)
		}
	}
}

// A member that was away gets the missed rounds from the others, and its conditions do not
// change in them.
func TestMemberIsAway(t *testing.T) {
	_, rounds := together(t, grouptest.Protocol(t, grouptest.Away(4)), small(), append(owns(), owns()...), 8)
	less := 0
	for _, r := range rounds {
		if r.Rows == 280 {
			less++
		}
	}
	if less == 0 || rounds[7].Rows != 340 {
		t.Errorf("want some rounds without member 4, and the last with it, got %+v", rounds)
	}
}
