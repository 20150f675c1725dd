package grouptest

import (
	"context"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// Restorer is a learner that can resume from a state S.
type Restorer[R comparable, S any] interface {
	Learner[R]
	State() S
	Restore(S) error
}

// GoesOn fails unless learners restored after the third of five rounds end with the same bits
// as those that were not, with another number of processors. Restored learners are created and
// not started.
func GoesOn[L Restorer[R, S], R comparable, S any](t *testing.T, size int, create func(rank int) (L, error), start func(l L, ctx context.Context, g collabdict.Group) error, shared func(L) []float32) {
	t.Helper()
	begin := func(ctx context.Context, g collabdict.Group, rank int) (L, error) {
		l, err := create(rank)
		if err == nil && start != nil {
			err = start(l, ctx, g)
		}
		return l, err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	whole, rounds := Train(t, lockstep.Run, size, 5, begin, shared)
	runtime.GOMAXPROCS(4)
	half, _ := Train(t, lockstep.Run, size, 3, begin, shared)
	restore := func(_ context.Context, _ collabdict.Group, rank int) (L, error) {
		l, err := create(rank)
		if err == nil {
			err = l.Restore(half[rank].State())
		}
		return l, err
	}
	rest, last := Train(t, lockstep.Run, size, 2, restore, shared)
	if !slices.Equal(last, rounds[3:]) {
		t.Errorf("got rounds %+v, want %+v", last, rounds[3:])
	}
	for rank := range whole {
		if !reflect.DeepEqual(rest[rank].State(), whole[rank].State()) {
			t.Errorf("member %d differs after it was restored", rank)
		}
	}
}
