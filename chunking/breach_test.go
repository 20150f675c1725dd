package chunking

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/collabdict/collabdict"
)

func TestBreachProbabilityAgainstCounting(t *testing.T) {
	for _, c := range []struct{ size, fanout, colluders int }{{6, 1, 2}, {6, 2, 3}, {8, 2, 5}, {5, 4, 3}, {5, 4, 4}} {
		const trials = 20000
		breached := 0
		for trial := range trials {
			out := make([][]int, c.size)
			for s := c.colluders; s < c.size; s++ { // whom the colluders deal to does not matter
				out[s] = Partners([32]byte{byte(trial), byte(trial >> 8), byte(s)}, Context{From: s}, c.size, c.fanout)
			}
			if isolated(out, c.colluders) {
				breached++
			}
		}
		want := BreachProbability(c.size, c.fanout, c.colluders)
		got := float64(breached) / trials
		if math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/trials)+1e-12 {
			t.Errorf("size %d, fanout %d, %d colluders: counted %g, predicted %g", c.size, c.fanout, c.colluders, got, want)
		}
	}
}

// The members form a public ring, and each deals to the members at fixed distances.
func TestNeighboursBreachAgainstCounting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ size, fanout, colluders int }{{9, 1, 4}, {9, 2, 6}, {12, 2, 8}, {9, 2, 3}, {9, 2, 0}, {9, 2, 8}} {
		const trials = 20000
		breached := 0
		for range trials {
			offsets := rng.Perm((c.size - 1) / 2)[:c.fanout] // no two offsets are opposite
			out := make([][]int, c.size)
			places := rng.Perm(c.size)
			at := make([]int, c.size)
			for member, place := range places {
				at[place] = member
			}
			for s := range out {
				for _, o := range offsets {
					out[s] = append(out[s], at[(places[s]+o+1)%c.size])
				}
			}
			if c.colluders > 0 && isolated(out, c.colluders) {
				breached++
			}
		}
		want := NeighboursBreach(c.size, 2*c.fanout, c.colluders)
		got := float64(breached) / trials
		if math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/trials)+1e-12 {
			t.Errorf("size %d, fanout %d, %d colluders: counted %g, predicted %g", c.size, c.fanout, c.colluders, got, want)
		}
	}
}

// isolated reports whether the last member shares seeds only with the colluders, which are the
// first members.
func isolated(out [][]int, colluders int) bool {
	last := len(out) - 1
	for _, p := range out[last] {
		if p >= colluders {
			return false
		}
	}
	for s := colluders; s < last; s++ {
		for _, p := range out[s] {
			if p == last {
				return false
			}
		}
	}
	return true
}

// In a view of 32 whose sessions show a member's value only to its first partner, t of the
// others see it with q = t/31.
func TestLanesBreach(t *testing.T) {
	for _, c := range []struct {
		colluders, threshold, lanes int
		want                        float64
	}{
		{1, 4, 4, 1e-6},
		{3, 8, 8, 8e-9},
		{5, 2, 2, 2.6e-2},
		{8, 4, 4, 4.4e-3},
		{12, 4, 4, 2.2e-2},
		{1, 4, 8, 7e-5},
		{5, 6, 8, 4e-4},
		{16, 12, 16, 5e-2},
	} {
		got := LanesBreach(float64(c.colluders)/31, c.threshold, c.lanes)
		if math.Abs(got-c.want) > 0.15*c.want {
			t.Errorf("%d of 31, %d of %d lanes: %.3g, want %g", c.colluders, c.threshold, c.lanes, got, c.want)
		}
	}
	for _, c := range []struct {
		q                float64
		threshold, lanes int
		want             float64
	}{{0, 1, 4, 0}, {1, 4, 4, 1}, {1, 2, 4, 1}, {0.5, 1, 2, 0.75}, {0.5, 2, 3, 0.5}, {0.1, 3, 3, 1e-3}} {
		if got := LanesBreach(c.q, c.threshold, c.lanes); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("exposure %g, %d of %d lanes: %g, want %g", c.q, c.threshold, c.lanes, got, c.want)
		}
	}
}

func TestPadBreach(t *testing.T) {
	for _, c := range []struct {
		name                             string
		size, marked, holders, threshold int
		want, relative                   float64
	}{
		{"a third of a thousand collude", 1000, 333, 40, 14, 0.47, 0.02},
		{"all hold, threshold above the colluders", 64, 21, 63, 22, 0, 0},
		{"all hold, threshold of the colluders", 64, 22, 63, 22, 1, 1e-9},
		{"two of four hold, one of two is marked", 5, 2, 2, 1, 5.0 / 6, 1e-12},
		{"two of four hold, both are marked", 5, 2, 2, 2, 1.0 / 6, 1e-12},
	} {
		if got := PadBreach(c.size, c.marked, c.holders, c.threshold); math.Abs(got-c.want) > c.relative*c.want {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
	// 250 of 1000 members are lost: the probability that one of their pads cannot be rebuilt.
	if got := 250 * PadBreach(1000, 249, 40, 27); got < 1e-6 || got > 3e-6 {
		t.Errorf("some of 250 pads is gone with probability %g, want about 2e-6", got)
	}
}

// Colluders that see all residues subtract the chunks that they dealt or received. The rest
// adds up, over each component of the others' chunk graph, to the sum of its vectors, and over
// no smaller set of members.
func TestColludersLearnTheSumsOfComponents(t *testing.T) {
	const size, fanout, colluders = 12, 1, 4
	l := mustLayout(t, Ring, size, collabdict.Block{Len: 1, Bound: 100})
	for entropy := range byte(50) {
		component := make([]int, size) // the lowest member that each member is connected to
		residues := make([]uint64, size)
		for s := range size {
			component[s], residues[s] = s, uint64(s)
		}
		for from := colluders; from < size; from++ {
			c := Context{From: from}
			for _, to := range Partners([32]byte{entropy, byte(from)}, c, size, fanout) {
				if to < colluders {
					continue
				}
				c.To = to
				chunk := expansion(l, Mask{Context: c, Purpose: ForChunk})[0]
				residues[from] -= chunk
				residues[to] += chunk
				a, b := component[from], component[to]
				for s := range component {
					if component[s] == max(a, b) {
						component[s] = min(a, b)
					}
				}
			}
		}
		for set := 1; set < 1<<(size-colluders); set++ {
			var shown, vectors uint64
			whole := true
			for s := colluders; s < size; s++ {
				if set>>(s-colluders)&1 == 0 {
					continue
				}
				shown += residues[s]
				vectors += uint64(s)
				for other := colluders; other < size; other++ {
					whole = whole && (component[other] != component[s] || set>>(other-colluders)&1 == 1)
				}
			}
			if (shown == vectors) != whole {
				t.Fatalf("entropy %d: members %b reveal their sum: %t, want %t", entropy, set, !whole, whole)
			}
		}
	}
}
