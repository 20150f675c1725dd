package dpem

import (
	"math"

	"github.com/collabdict/collabdict/gmm/privacy"
)

// account divides a privacy loss among rounds. Losses are squared ratios μ² of the sensitivity to the
// noise, which add up over rounds.
//
// Invariant: whatever members are lost, the rounds together lose no more than the account began
// with.
type account struct {
	left      float64   // μ²
	weights   []float64 // of the rounds to come
	quorum    int       // the fewest members that a total is of
	colluders int
}

// honest returns how many of so many members add noise that no reader of a total knows. A reader
// knows its own.
func (a *account) honest(members int) float64 {
	return float64(max(1, members-max(1, a.colluders)))
}

// plan returns the loss of the next round if all of so many members are in its total. Each member
// adds its part of the noise for that case. If members are lost before the total, it has less
// noise. Even with a quorum alone, the last round spends at most all that is left, and an
// earlier one at most half of it.
func (a *account) plan(members int) float64 {
	sum := 0.0
	for _, w := range a.weights {
		sum += w
	}
	most := a.left * a.honest(min(a.quorum, members)) / a.honest(members)
	if len(a.weights) > 1 {
		most /= 2
	}
	return math.Min(float64(a.left*a.weights[0])/sum, most)
}

// spend subtracts the loss of one round, which was planned for so many members and whose total is of
// in members.
func (a *account) spend(planned float64, members, in int) {
	a.left -= float64(planned*a.honest(members)) / a.honest(in)
	a.weights = a.weights[1:]
}

// noise returns the standard deviation of the noise in each value of a total whose loss is μ²: one row
// moves the vector by at most 1, and its rounding by a little.
func noise(loss float64, values int) float64 {
	return 1 / (math.Sqrt(loss) - privacy.DiscreteRounding(values))
}
