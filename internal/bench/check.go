package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
)

// draw returns vectors of numbers between -1 and 1, the same ones each time.
func draw(size, values int) [][]float64 {
	x := make([][]float64, size)
	for i := range x {
		rng := rand.New(rand.NewPCG(uint64(i), 0))
		x[i] = make([]float64, values)
		for j := range x[i] {
			x[i][j] = 2*rng.Float64() - 1
		}
	}
	return x
}

// check returns the largest error of a total. It returns an error if that is above limit or the
// nodes' totals differ.
func check(x, totals [][]float64, limit float64) (largest float64, err error) {
	for i, total := range totals {
		if !slices.Equal(total, totals[0]) {
			return 0, fmt.Errorf("%s and %s have different totals", nameOf(0), nameOf(i))
		}
	}
	if len(totals[0]) != len(x[0]) {
		return 0, fmt.Errorf("want a total of %d values, got %d", len(x[0]), len(totals[0]))
	}
	for j, got := range totals[0] {
		want := 0.0
		for i := range x {
			want += x[i][j]
		}
		e := math.Abs(got - want)
		if !(e <= limit) {
			return 0, fmt.Errorf("value %d of the total: want %v to within %.2g, got %v", j, want, limit, got)
		}
		largest = max(largest, e)
	}
	return largest, nil
}

// largestError returns the greatest error of a value of the total if bounds are 1.
func (c Consensus) largestError() float64 {
	size := float64(c.Nodes)
	if c.Settings.Scheme == consensus.Laplacian {
		// the disagreement that remains plus the rounding of masked vectors, both estimated
		// generously: a total without one member is off by about 1
		return 4*size*math.Sqrt(size)*c.Settings.Tolerance + size*1e-5
	}
	// Units are coarsest in the field. The plain sums are rounded, too.
	layout, err := chunking.NewLayout(chunking.Field, c.Nodes, []collabdict.Block{{Len: 1, Bound: 1}})
	if err != nil {
		panic("bench: " + err.Error()) // the size has been checked
	}
	return layout.Error(0) + size*size*0x1p-53
}
