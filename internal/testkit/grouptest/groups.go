package grouptest

import (
	"context"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// Together calls f for every member of a group of n, in lock step.
func Together(t testing.TB, n int, f func(g collabdict.Group, rank int) error) {
	t.Helper()
	err := lockstep.Run(t.Context(), n, func(_ context.Context, g collabdict.Group, rank int) error { return f(g, rank) })
	if err != nil {
		t.Fatal(err)
	}
}

// Watch returns a runner that notes the vectors that member 0 adds to sums in left. It panics
// if that member publishes anything.
func Watch(run Runner, left *[][]float64) Runner {
	return func(ctx context.Context, size int, f func(context.Context, collabdict.Group, int) error) error {
		return run(ctx, size, func(ctx context.Context, g collabdict.Group, rank int) error {
			if rank == 0 {
				g = watched{g, left}
			}
			return f(ctx, g, rank)
		})
	}
}

type watched struct {
	collabdict.Group
	left *[][]float64
}

func (w watched) Sum(ctx context.Context, s collabdict.Summand) ([]float64, error) {
	*w.left = append(*w.left, slices.Clone(s.Values))
	return w.Group.Sum(ctx, s)
}

func (watched) Gather(context.Context, collabdict.Entry, []byte) ([][]byte, error) {
	panic("something is published")
}

// Ahead is a group of three whose sums do not wait for this member. Early are the totals of
// sums that are decided before the member calls them, and Answers those of sums that it calls,
// in order.
type Ahead struct {
	collabdict.Group
	Early, Answers [][]float64
	In             bool      // whether the member's vectors are in all of them, or in none
	Asked          []float64 // the member's vector in its last call
}

var _ collabdict.Group = (*Ahead)(nil)

// TakeMissed implements [collabdict.Group].
func (a *Ahead) TakeMissed() ([]float64, bool) {
	if a.In {
		return nil, false
	}
	return a.TakeDecided()
}

// TakeDecided implements [collabdict.Group].
func (a *Ahead) TakeDecided() ([]float64, bool) {
	if len(a.Early) == 0 {
		return nil, false
	}
	return take(&a.Early), true
}

// Membership implements [collabdict.Group].
func (a *Ahead) Membership() collabdict.Membership {
	return collabdict.Membership{Size: 3, Included: a.In, Steady: true}
}

// StartRound implements [collabdict.Group].
func (*Ahead) StartRound(int, [32]byte) {}

// Sum implements [collabdict.Group].
func (a *Ahead) Sum(_ context.Context, s collabdict.Summand) ([]float64, error) {
	if err := collabdict.CheckBlocks(s.Values, s.Blocks); err != nil {
		return nil, err
	}
	a.Asked = slices.Clone(s.Values)
	return take(&a.Answers), nil
}

func take(totals *[][]float64) []float64 {
	total := (*totals)[0]
	*totals = (*totals)[1:]
	return total
}
