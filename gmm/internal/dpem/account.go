package dpem

import (
	"math"

	"github.com/collabdict/collabdict/gmm/privacy"
)

// account divides a privacy loss among rounds. Losses are squared ratios μ² of sensitivity to
// noise, which add up over rounds.
//
// Invariant: whichever members are lost, all rounds together spend at most the initial loss.
type account struct {
	left      float64   // μ²
	weights   []float64 // weights of the remaining rounds
	quorum    int       // smallest number of members in a total
	colluders int
}

// honest returns the number of members whose noise no reader of a total knows. A reader knows
// its own noise.
func (a *account) honest(members int) float64 {
	return float64(max(1, members-max(1, a.colluders)))
}

// plan returns the loss of the next round if its total includes all the given members. Each
// member adds its part of the noise for that case. If members are lost before the total, it has
// less noise. So even with only a quorum, the last round spends at most the remaining loss, and
// an earlier round at most half of it.
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

// spend subtracts the loss of one round, which was planned for members but whose total includes
// only in of them.
func (a *account) spend(planned float64, members, in int) {
	a.left -= float64(planned*a.honest(members)) / a.honest(in)
	a.weights = a.weights[1:]
}

// noise returns the standard deviation of the noise in each value of a total with the loss μ².
// One row moves the vector by at most 1, plus a little for rounding.
func noise(loss float64, values int) float64 {
	return 1 / (math.Sqrt(loss) - privacy.DiscreteRounding(values))
}
