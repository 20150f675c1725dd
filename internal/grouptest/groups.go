package grouptest

import (
	"context"
	"slices"

	"github.com/collabdict/collabdict"
)

// Watch returns a runner that notes in left what member 0 brings to sums. It panics where
// that member would publish something.
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

func (watched) Gather(context.Context, []byte) ([][]byte, error) { panic("something is published") }

// Absent is a group of three in whose sums this member is not. Totals of sums that were made
// before it was there are Early, those of sums that it calls are Answers, one after the other.
type Absent struct {
	collabdict.Group
	Early, Answers [][]float64
	Asked          []float64 // what the member has brought to the last sum
}

// Missed implements collabdict.Absentee.
func (a *Absent) Missed() ([]float64, bool) {
	if len(a.Early) == 0 {
		return nil, false
	}
	return take(&a.Early), true
}

// Included implements collabdict.Absentee.
func (*Absent) Included() bool { return false }

// Size implements collabdict.Group.
func (*Absent) Size() int { return 3 }

// Sum implements collabdict.Group.
func (a *Absent) Sum(_ context.Context, x []float64, blocks []collabdict.Block) ([]float64, error) {
	if err := collabdict.CheckBlocks(x, blocks); err != nil {
		return nil, err
	}
	a.Asked = slices.Clone(x)
	return take(&a.Answers), nil
}

func take(totals *[][]float64) []float64 {
	total := (*totals)[0]
	*totals = (*totals)[1:]
	return total
}
