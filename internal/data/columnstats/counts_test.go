package columnstats

import (
	"context"
	"math"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// table is a group that adds its members' vectors in memory.
type table struct {
	mu    sync.Mutex
	all   *sync.Cond
	size  int
	here  int
	total []float64
	done  []float64
}

type seat struct {
	collabdict.Group
	*table
}

func (s seat) Membership() collabdict.Membership {
	return collabdict.Membership{Size: s.size}
}

func (s seat) Sum(_ context.Context, of collabdict.Summand) ([]float64, error) {
	x := of.Values
	if err := collabdict.CheckBlocks(x, of.Blocks); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.here == 0 {
		s.total = make([]float64, len(x))
	}
	for i, v := range x {
		s.total[i] += v
	}
	if s.here++; s.here == s.size {
		s.here, s.done = 0, s.total
		s.all.Broadcast()
		return s.done, nil
	}
	for mine := &s.total[0]; s.done == nil || mine != &s.done[0]; {
		s.all.Wait()
	}
	return s.done, nil
}

// Members find the widest of their bounds, and those of all rows together.
func TestCountsGiveTheWidestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const dim = 3
		size := rapid.IntRange(1, 5).Draw(t, "members")
		group := &table{size: size}
		group.all = sync.NewCond(&group.mu)
		var rows []*mat.Dense
		want := Bounds{RMS: make([]float64, dim)}
		for range size {
			n := rapid.IntRange(1, 9).Draw(t, "rows")
			x := mat.NewDense(n, dim, nil)
			for j := range dim {
				scale := math.Ldexp(1, rapid.IntRange(-220, 199).Draw(t, "exponent"))
				for i := range n {
					x.Set(i, j, scale*rapid.Float64Range(-1, 1).Draw(t, "value"))
				}
			}
			rowsExp, exps, err := exponents(matrix{x})
			if err != nil {
				t.Fatal(err)
			}
			want.Rows = max(want.Rows, math.Ldexp(1, rowsExp))
			want.TotalRows += math.Ldexp(1, rowsExp)
			for j, exp := range exps {
				want.RMS[j] = max(want.RMS[j], math.Ldexp(1, exp))
			}
			rows = append(rows, x)
		}
		var all sync.WaitGroup
		for _, x := range rows {
			all.Go(func() {
				got, err := Agree(context.Background(), seat{nil, group}, matrix{x})
				if err != nil || got.Rows != want.Rows || got.TotalRows != want.TotalRows {
					t.Errorf("%v, rows %g and %g, want %g and %g", err, got.Rows, got.TotalRows, want.Rows, want.TotalRows)
					return
				}
				for i, v := range got.RMS {
					if v != want.RMS[i] {
						t.Errorf("column %d: %g, want %g", i, v, want.RMS[i])
					}
				}
			})
		}
		all.Wait()
	})
}
