package grouptest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/lockstep"
	"github.com/collabdict/collabdict/netsim"
)

// Runner runs the members of a group of some size, all at once: [lockstep.Run] is one.
type Runner func(ctx context.Context, size int, f func(ctx context.Context, g collabdict.Group, rank int) error) error

var _ Runner = lockstep.Run

// Protocol runs members over the protocol, in virtual time, where rounds take 10 seconds.
func Protocol(t testing.TB, faults ...netsim.Fault) Runner {
	return func(ctx context.Context, size int, f func(context.Context, collabdict.Group, int) error) error {
		net, err := netsim.New(netsim.Config{Names: netsim.Names(size), Seed: 1, Compute: 10 * time.Second, Faults: faults})
		if err != nil {
			t.Fatal(err)
		}
		_, err = net.Run(ctx, func(ctx context.Context, rank int, g collabdict.Group) error { return f(ctx, g, rank) })
		return err
	}
}

// Away is the fault of a member that misses some rounds from the second one on.
func Away(member int) netsim.Fault {
	return netsim.Crash{Member: member, When: netsim.When{Round: 2, At: 10 * time.Millisecond, For: 35 * time.Second}}
}

// Learner trains by rounds. R is what all members know after one.
type Learner[R comparable] interface {
	Round(ctx context.Context, g collabdict.Group) (R, error)
}

// Train makes rounds of what begin returns at each member, and returns the learners by rank
// and what they know after each round. The test fails unless all members know the same, and
// hold the same of what is shared in the end, to the last bit.
func Train[L Learner[R], R comparable](t testing.TB, run Runner, size, rounds int, begin func(ctx context.Context, g collabdict.Group, rank int) (L, error), shared func(L) []float32) ([]L, []R) {
	t.Helper()
	all, known := make([]L, size), make([][]R, size)
	err := run(t.Context(), size, func(ctx context.Context, g collabdict.Group, rank int) (err error) {
		if all[rank], err = begin(ctx, g, rank); err != nil {
			return err
		}
		known[rank] = nil // what has begun anew has all rounds from the others
		for range rounds {
			r, err := all[rank].Round(ctx, g)
			if err != nil {
				return err
			}
			known[rank] = append(known[rank], r)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for rank, l := range all {
		if !slices.Equal(known[rank], known[0]) || !slices.Equal(shared(l), shared(all[0])) {
			t.Fatalf("member %d does not hold what member 0 does: rounds %+v and %+v", rank, known[rank], known[0])
		}
	}
	return all, known[0]
}

// Farthest returns the largest difference of parameters.
func Farthest(a, b []float32) (most float32) {
	for i := range a {
		most = max(most, a[i]-b[i], b[i]-a[i])
	}
	return most
}
