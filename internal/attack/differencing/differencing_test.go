package differencing

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// layout is the layout of a number, and of the counts and sums of two components in three
// variables.
var layout = []collabdict.Block{
	{Len: 1, Bound: 9},
	{Len: 2, Bound: 9, Moment: collabdict.Counts},
	{Len: 2, Bound: 8, Moment: collabdict.FirstMoments},
	{Len: 4, Bound: 9, Moment: collabdict.FirstMoments},
}

// totalOf returns the total of the rows of x, with these weights in the first component and the
// remaining weights in the second.
func totalOf(x *mat.Dense, weights []float64) []float64 {
	out := make([]float64, 9)
	out[0] = 77
	for j, w := range weights {
		for c, r := range []float64{w, 1 - w} {
			out[1+c] += r
			for i, v := range x.RawRowView(j) {
				out[3+2*i+c] += r * v
			}
		}
	}
	return out
}

func normals(n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
	}
	return x
}

func TestCompare(t *testing.T) {
	const n = 60
	x := normals(n)
	weights := func(of func(j int) float64) []float64 {
		w := make([]float64, n)
		for j := range w {
			w[j] = of(j)
		}
		return w
	}
	low := weights(func(j int) float64 { return float64(j % 2) })
	moved := weights(func(j int) float64 { return float64(j % 2) })
	moved[6] = 1
	soft := weights(func(j int) float64 { return float64(j+1) / (n + 2) })
	softer := weights(func(j int) float64 { return float64(j+2) / (n + 4) })
	part := weights(func(j int) float64 { return float64(j%2) * 0.5 })
	part2 := weights(func(j int) float64 { return float64(j%2) * 0.5 })
	part2[9] = 0.1
	lone := weights(func(int) float64 { return 0 })
	lone[3] = 1e-3
	for name, c := range map[string]struct {
		weights [][]float64
		rounds  []uint32
		want    Findings
	}{
		"one row moves":            {[][]float64{low, moved}, []uint32{0, 0}, Findings{Rows: 1, Start: 1}},
		"a part of a row moves":    {[][]float64{part, part2}, []uint32{1, 2}, Findings{Rows: 1, Rounds: 1}},
		"all rows move":            {[][]float64{soft, softer}, []uint32{0, 0}, Findings{}},
		"a row alone":              {[][]float64{lone}, []uint32{0}, Findings{Rows: 1, Start: 1}},
		"apart":                    {[][]float64{low, soft, moved}, []uint32{0, 0, 0}, Findings{}},
		"the start and the rounds": {[][]float64{low, moved}, []uint32{0, 1}, Findings{Rows: 1, Rounds: 1}},
	} {
		watch := NewWatch(1)
		for slot, w := range c.weights {
			watch.Called(0, uint64(slot), consensus.Call{Kind: consensus.Sum, Round: c.rounds[slot], Blocks: layout})
			sum := totalOf(x, w)
			for i := range 6 { // moments are about another point than the rows
				sum[3+i] -= sum[1+i%2] * 5
			}
			for range 3 { // every member decides it
				watch.Decided(0, &consensus.Decision{Slot: uint64(slot), Kind: consensus.Sum, Round: c.rounds[slot], Total: sum}, nil)
			}
		}
		c.want.Of = n
		seen := World{Slots: watch.Slots(), Trained: []*mat.Dense{x}}
		if got := seen.Compare(); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

// Totals without counts and first moments are ignored, and so are gathers.
func TestOtherTotals(t *testing.T) {
	watch := NewWatch(1)
	x := normals(5)
	for slot, blocks := range [][]collabdict.Block{
		{{Len: 9, Bound: 1}},
		{{Len: 3, Bound: 9, Moment: collabdict.FirstMoments}, {Len: 6, Bound: 9, Moment: collabdict.Counts}},
		{{Len: 2, Bound: 9, Moment: collabdict.Counts}, {Len: 7, Bound: 9, Moment: collabdict.FirstMoments}},
	} {
		watch.Called(0, uint64(slot), consensus.Call{Kind: consensus.Sum, Blocks: blocks})
		watch.Decided(0, &consensus.Decision{Slot: uint64(slot), Kind: consensus.Sum, Total: totalOf(x, make([]float64, 5))}, nil)
	}
	watch.Called(0, 9, consensus.Call{Kind: consensus.Gather})
	watch.Decided(0, &consensus.Decision{Slot: 9, Kind: consensus.Gather}, nil)
	seen := World{Slots: watch.Slots(), Trained: []*mat.Dense{x}}
	if got := seen.Compare(); got != (Findings{Of: 5}) {
		t.Errorf("got %+v", got)
	}
}
