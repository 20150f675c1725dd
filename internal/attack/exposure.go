package attack

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// Exposure returns the probability that a coalition of t members works out the
// vector that a given other member has entered a session of an exact plan with, and
// the standard deviation of that figure. It is the mean over coalitions drawn with
// rng, by the exact rank over the field of 2^61-1 of what they see of the first
// value. The members are dealt to the vertices at random.
func Exposure(plan session.Plan, a chunking.Arithmetic, t, draws int, rng *rand.Rand) (q, deviation float64) {
	tr := newTrace(plan, a)
	var sum, squares float64
	for range draws {
		share := float64(tr.exposed(rng.Perm(tr.size)[:t])) / float64(tr.size-t)
		sum += share
		squares += share * share
	}
	n := float64(draws)
	q = sum / n
	return q, math.Sqrt(max(squares/n-q*q, 0) / n)
}

// exposed returns how many of the vertices outside a coalition it works out.
func (t *trace) exposed(coalition []int) int {
	e := elimination{numbers: numbers{field: true}}
	for key, pieces := range t.frames {
		if !slices.Contains(coalition, key.From) && !slices.Contains(coalition, key.To) {
			continue
		}
		for _, p := range pieces {
			if p.cell == 0 && len(e.basis) < t.size {
				e.add(p.weights, nil)
			}
		}
	}
	found := 0
	for v := range e.determined() {
		if !slices.Contains(coalition, v) {
			found++
		}
	}
	return found
}

// Components returns the connected components of a chunk graph without the
// coalition: chunks[s] are the members that s hands chunks to. A coalition learns
// the sum of the vectors of each component, whatever it sees of the session, and
// nothing else of them; so a member in a component of its own is breached.
func Components(chunks [][]int, coalition []int) [][]int {
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
