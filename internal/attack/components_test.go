package attack_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/internal/attack"
)

// chunkGraph draws the members that each member deals chunks to.
func chunkGraph(rng *rand.Rand, size, fanout int) [][]int {
	var entropy [32]byte
	chunks := make([][]int, size)
	for s := range chunks {
		for i := range entropy {
			entropy[i] = byte(rng.Uint32())
		}
		chunks[s] = chunking.Partners(entropy, chunking.Context{From: s}, size, fanout)
	}
	return chunks
}

// On sparse chunk graphs, colluders cut off as many members as predicted.
func TestSparseChunkGraphsAreBreachedAsPredicted(t *testing.T) {
	const size, draws = 32, 1500
	for fanout := 1; fanout <= 3; fanout++ {
		rng := rand.New(rand.NewPCG(3, uint64(fanout)))
		var sum, squares [13]float64
		for range draws {
			chunks := chunkGraph(rng, size, fanout)
			order := rng.Perm(size)
			for colluding := 1; colluding <= 12; colluding++ {
				alone := 0
				for _, c := range components(chunks, order[:colluding]) {
					if len(c) == 1 {
						alone++
					}
				}
				share := float64(alone) / float64(size-colluding)
				sum[colluding] += share
				squares[colluding] += share * share
			}
		}
		for colluding := 1; colluding <= 12; colluding++ {
			got := sum[colluding] / draws
			deviation := math.Sqrt((squares[colluding]/draws - got*got) / draws)
			want := chunking.BreachProbability(size, fanout, colluding)
			if math.Abs(got-want) > 3*max(deviation, math.Sqrt(want/(draws*size))) {
				t.Errorf("%d chunks handed out, %d colluders: %.5f ± %.5f, predicted %.5f", fanout, colluding, got, deviation, want)
			}
		}
	}
}

// On a complete chunk graph, all honest members form one component if there are at least two.
func TestCompleteChunkGraphsHideAll(t *testing.T) {
	const size = 9
	rng := rand.New(rand.NewPCG(1, 1))
	chunks := chunkGraph(rng, size, size-1)
	for colluding := 1; colluding <= size-2; colluding++ {
		c := components(chunks, rng.Perm(size)[:colluding])
		if len(c) != 1 || len(c[0]) != size-colluding {
			t.Errorf("%d colluders: components %v", colluding, c)
		}
	}
}

func TestCoalitionsFollowFromTheSeed(t *testing.T) {
	a := attack.Coalition(4, 20, 5)
	if len(a) != 5 || !slices.IsSorted(a) || !slices.Equal(a, attack.Coalition(4, 20, 5)) || slices.Equal(a, attack.Coalition(5, 20, 5)) {
		t.Errorf("got %v", a)
	}
}

// components returns the connected components of a chunk graph without the coalition. Chunks[s]
// lists the members that s deals chunks to. Whatever the coalition sees of the session, it
// learns the sum of the vectors of each component and nothing more. A member that forms a
// component alone is breached.
func components(chunks [][]int, coalition []int) [][]int {
	component := make([]int, len(chunks))
	for s := range component {
		component[s] = s
	}
	root := func(s int) int {
		for component[s] != s {
			s = component[s]
		}
		return s
	}
	for s, to := range chunks {
		for _, r := range to {
			if !slices.Contains(coalition, s) && !slices.Contains(coalition, r) {
				component[root(s)] = root(r)
			}
		}
	}
	byRoot := make([][]int, len(chunks))
	for s := range chunks {
		if !slices.Contains(coalition, s) {
			byRoot[root(s)] = append(byRoot[root(s)], s)
		}
	}
	return slices.DeleteFunc(byRoot, func(c []int) bool { return len(c) == 0 })
}
