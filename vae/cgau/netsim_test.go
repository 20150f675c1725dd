package cgau

import (
	"context"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/netsim"
)

func overProtocol(t *testing.T, faults ...netsim.Fault) runner {
	return func(ctx context.Context, size int, f func(context.Context, collabdict.Group, int) error) error {
		net, err := netsim.New(netsim.Config{Names: netsim.Names(size), Seed: 1, Compute: 10 * time.Second, Faults: faults})
		if err != nil {
			t.Fatal(err)
		}
		_, err = net.Run(ctx, func(ctx context.Context, rank int, g collabdict.Group) error { return f(ctx, g, rank) })
		return err
	}
}

// Over the protocol the model is that of plain sums, but for the rounding of what hides
// the summands; and all members hold the same bits.
func TestOverTheProtocol(t *testing.T) {
	c, own := small(), owns()
	here, there := inLockstep(t, c, own, 4), together(t, overProtocol(t), c, own, 4)
	sameBits(t, there)
	for k := range here {
		if far := max(farthest(here[k].Model().Shared().Values, there[k].Model().Shared().Values), farthest(here[k].Model().Conditions().Values, there[k].Model().Conditions().Values)); far > 1e-5 {
			t.Errorf("member %d: parameters differ by %g from those of plain sums", k, far)
		}
	}
}

// A member that was away takes the rounds that it has missed from the others, and its
// conditions do not change in them.
func TestMemberIsAway(t *testing.T) {
	own := append(owns(), owns()...)
	away := netsim.Crash{Member: 4, When: netsim.When{Round: 2, At: 10 * time.Millisecond, For: 35 * time.Second}}
	all := together(t, overProtocol(t, away), small(), own, 8)
	sameBits(t, all)
	less := 0
	for _, r := range all[0].rounds {
		if r.Rows == 280 {
			less++
		}
	}
	if less == 0 || all[0].rounds[7].Rows != 340 {
		t.Errorf("want some rounds without member 4, and the last with it, got %+v", all[0].rounds)
	}
}
