package session

import (
	"fmt"

	"github.com/collabdict/collabdict/chunking"
)

// NewFoldIn returns the plan of a fold-in all-reduce, which uses additions only. Members
// outside a core send it their vectors. The core sums over a hyper-hypercube and sends the sum
// back. In a round a member hears at most k others; k is at least 1.
//
// The size of the core is the one with the fewest rounds, and among those the one with the
// fewest messages.
func NewFoldIn(size, k int, a chunking.Arithmetic) (*Exchange, error) {
	if err := checkExact(size, k, a); err != nil {
		return nil, err
	}
	most := min(k, size-1) + 1
	core := coreSize(size, most)
	var s schedule
	if core < size {
		s.grow(1, size)
		for v := core; v < size; v++ {
			to := (v - core) % core
			s[0][v].tells = []int{to}
			s[0][to].weight = 1
			s[0][to].hears = append(s[0][to].hears, v)
		}
	}
	vertices := make([]int, core)
	for v := range vertices {
		vertices[v] = v
	}
	for _, round := range groups(vertices, factors(core, most)) {
		s.grow(len(s)+1, size)
		for _, group := range round {
			s.gather(len(s)-1, group, false)
		}
	}
	if core < size {
		last := len(s)
		s.grow(last+1, size)
		for v := core; v < size; v++ {
			from := (v - core) % core
			s[last][v] = row{weight: 1, hears: []int{from}}
			s[last][from].tells = append(s[last][from].tells, v)
		}
	}
	return newExchange(fmt.Sprintf("fold-in k=%d", k), size, a, s, 1), nil
}

// coreSize returns the size of the core for the given number of members. The argument most is
// the largest size of a group.
func coreSize(size, most int) int {
	best, bestRounds, bestMessages := 0, 0, 0
	for core := (size + most - 1) / most; core <= size; core++ {
		fs := factors(core, most)
		if fs == nil {
			continue
		}
		rounds, messages := len(fs), 2*(size-core)
		if core < size {
			rounds += 2
		}
		for _, f := range fs {
			messages += core * (f - 1)
		}
		if best == 0 || rounds < bestRounds || rounds == bestRounds && messages < bestMessages {
			best, bestRounds, bestMessages = core, rounds, messages
		}
	}
	return best
}
