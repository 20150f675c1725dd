package grouptest

import (
	"context"
	"slices"

	"github.com/collabdict/collabdict"
)

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

func (w watched) Sum(ctx context.Context, x []float64, blocks []collabdict.Block) ([]float64, error) {
	*w.left = append(*w.left, slices.Clone(x))
	return w.Group.Sum(ctx, x, blocks)
}

func (w watched) Accumulate(ctx context.Context, r collabdict.Running, x []float64, blocks []collabdict.Block) ([]float64, error) {
	*w.left = append(*w.left, slices.Clone(x))
	return w.Group.Accumulate(ctx, r, x, blocks)
}

func (watched) Gather(context.Context, []byte) ([][]byte, error) { panic("something is published") }

// Ahead is a group of three whose sums do not wait for this member. Early are the totals of
// sums that are decided before the member calls them, and Answers those of sums that it calls,
// in order.
type Ahead struct {
	collabdict.Group
	Early, Answers [][]float64
	In             bool      // whether the member's vectors are in all of them, or in none
	Asked          []float64 // the member's vector in its last call
}

var _ collabdict.Replayer = (*Ahead)(nil)

// TakeMissed implements [collabdict.Absentee].
func (a *Ahead) TakeMissed() ([]float64, bool) {
	if a.In {
		return nil, false
	}
	return a.TakeDecided()
}

// TakeDecided implements [collabdict.Replayer].
func (a *Ahead) TakeDecided() ([]float64, bool) {
	if len(a.Early) == 0 {
		return nil, false
	}
	return take(&a.Early), true
}

// Included implements [collabdict.Absentee].
func (a *Ahead) Included() bool { return a.In }

// Steady implements [collabdict.Absentee].
func (a *Ahead) Steady() bool { return true }

// Size implements [collabdict.Group].
func (*Ahead) Size() int { return 3 }

// Sum implements [collabdict.Group].
func (a *Ahead) Sum(_ context.Context, x []float64, blocks []collabdict.Block) ([]float64, error) {
	if err := collabdict.CheckBlocks(x, blocks); err != nil {
		return nil, err
	}
	a.Asked = slices.Clone(x)
	return take(&a.Answers), nil
}

// Accumulate implements [collabdict.Group].
func (a *Ahead) Accumulate(ctx context.Context, _ collabdict.Running, x []float64, blocks []collabdict.Block) ([]float64, error) {
	return a.Sum(ctx, x, blocks)
}

func take(totals *[][]float64) []float64 {
	total := (*totals)[0]
	*totals = (*totals)[1:]
	return total
}
