package exposure

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// Probability returns the probability that a coalition of t members works out the
// vector that a given other member has entered a session of an exact plan with, and
// the standard deviation of that figure. It is the mean over coalitions drawn with
// rng, by the exact rank over the field of 2^61-1 of what they see of the first
// value. The members are dealt to the vertices at random.
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

// exposed returns how many of the vertices outside a coalition it works out.
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
