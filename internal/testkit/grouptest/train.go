package grouptest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/netsim"
)

// Runner runs the members of a group of a given size, all at once, like [lockstep.Run].
type Runner func(ctx context.Context, size int, f func(ctx context.Context, g collabdict.Group, rank int) error) error

var _ Runner = lockstep.Run

// Protocol runs members over the protocol, in virtual time, with rounds of 10 seconds.
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

// Away is the fault of a member that misses some rounds, from the second on.
func Away(member int) netsim.Fault {
	return netsim.Crash{Member: member, When: netsim.When{Round: 2, At: 10 * time.Millisecond, For: 35 * time.Second}}
}

// Learner trains by rounds. R is the knowledge that all members share after a round.
type Learner[R comparable] interface {
	Round(ctx context.Context, g collabdict.Group) (R, error)
}

// Train runs rounds of the learners that begin returns at each member. It returns the learners
// by rank, and the shared knowledge after each round. The test fails unless all members have
// the same knowledge, and in the end the same shared state, to the last bit.
func Train[L Learner[R], R comparable](t testing.TB, run Runner, size, rounds int, begin func(ctx context.Context, g collabdict.Group, rank int) (L, error), shared func(L) []float32) ([]L, []R) {
	t.Helper()
	all, known := make([]L, size), make([][]R, size)
	err := run(t.Context(), size, func(ctx context.Context, g collabdict.Group, rank int) (err error) {
		if all[rank], err = begin(ctx, g, rank); err != nil {
			return err
		}
		known[rank] = nil // a restarted member receives all rounds from the others
		_, err = collabdict.Rounds(g, all[rank], rounds, func(n int) (collabdict.Round, error) {
			r, err := all[rank].Round(ctx, g)
			if err == nil {
				known[rank] = append(known[rank], r)
			}
			return collabdict.Round{Number: n}, err
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for rank, l := range all {
		if !slices.Equal(known[rank], known[0]) || !slices.Equal(shared(l), shared(all[0])) {
			t.Fatalf("member %d has another state than member 0: rounds %+v and %+v", rank, known[rank], known[0])
		}
	}
	return all, known[0]
}

// Farthest returns the largest difference between parameters.
func Farthest(a, b []float32) (most float32) {
	for i := range a {
		most = max(most, a[i]-b[i], b[i]-a[i])
	}
	return most
}
