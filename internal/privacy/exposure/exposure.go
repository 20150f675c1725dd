package exposure

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// Probability returns the probability that a coalition of t members can compute the vector of a
// given other member in a session of an exact plan, and the standard deviation of the estimate.
// It is the mean over coalitions drawn with rng, by the exact rank over the field of 2^61-1 of
// the frames' first values. Members are assigned to the vertices at random.
func Probability(plan session.Plan, a chunking.Arithmetic, t, draws int, rng *rand.Rand) (q, deviation float64) {
	tr := NewTrace(plan, a)
	var sum, squares float64
	for range draws {
		share := float64(tr.exposed(rng.Perm(tr.Size)[:t])) / float64(tr.Size-t)
		sum += share
		squares += share * share
	}
	n := float64(draws)
	q = sum / n
	return q, math.Sqrt(max(squares/n-q*q, 0) / n)
}

// exposed returns the number of vertices outside a coalition whose vectors it can compute.
func (t *Trace) exposed(coalition []int) int {
	e := Elimination{Field: true}
	for key, pieces := range t.Frames {
		if !slices.Contains(coalition, key.From) && !slices.Contains(coalition, key.To) {
			continue
		}
		for _, p := range pieces {
			if p.Cell == 0 && len(e.basis) < t.Size {
				e.Add(p.Weights, nil)
			}
		}
	}
	found := 0
	for v := range e.Determined() {
		if !slices.Contains(coalition, v) {
			found++
		}
	}
	return found
}
