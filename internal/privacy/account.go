package privacy

import "math"

// An Account divides a loss among the mechanisms of a run, and counts what they have spent. All noise
// of runs with epsilon is scaled by one. Losses add up over mechanisms, even if each depends on the
// output of earlier ones; see [ZCDP].
//
// Members add a part of a total's noise each. Whichever of them are lost, all mechanisms together
// spend at most the initial loss.
type Account struct {
	allowed   ZCDP
	left      float64   // μ²
	weights   []float64 // weights of the remaining mechanisms
	quorum    int       // smallest number of members in a total
	colluders int
}

// NewAccount returns the account of mechanisms with these weights. quorum is the smallest number of
// members in a total, and colluders the number of them that may reveal their noise to each other.
func NewAccount(allowed ZCDP, weights []float64, quorum, colluders int) *Account {
	return &Account{allowed: allowed, left: 2 * float64(allowed), weights: weights, quorum: quorum, colluders: colluders}
}

// NewOwnAccount returns the account of a number of equal mechanisms, all of whose noise one
// participant draws.
func NewOwnAccount(allowed ZCDP, mechanisms int) *Account {
	weights := make([]float64, mechanisms)
	for i := range weights {
		weights[i] = 1
	}
	return NewAccount(allowed, weights, 1, 0)
}

// honest returns the number of members whose noise no reader of a total knows. A reader knows
// its own noise.
func (a *Account) honest(members int) float64 {
	return float64(max(1, members-max(1, a.colluders)))
}

// Plan returns the loss of the next mechanism if its total includes all the given members. Each
// member adds its part of the noise for that case. If members are lost before the total, it has
// less noise. So even with only a quorum, the last one spends at most the remaining loss, and
// an earlier one at most half of it.
func (a *Account) Plan(members int) ZCDP {
	sum := 0.0
	for _, w := range a.weights {
		sum += w
	}
	most := a.left * a.honest(min(a.quorum, members)) / a.honest(members)
	if len(a.weights) > 1 {
		most /= 2
	}
	return ZCDP(math.Min(float64(a.left*a.weights[0])/sum, most) / 2)
}

// Spend enters one mechanism, which was planned for members but whose total includes only in of
// them.
func (a *Account) Spend(planned ZCDP, members, in int) {
	a.left -= float64(2*float64(planned)*a.honest(members)) / a.honest(in)
	a.weights = a.weights[1:]
}

// Part returns the standard deviation of one member's part of noise whose standard deviation is sd
// if all these members are in the total.
func (a *Account) Part(sd float64, members int) float64 { return sd / math.Sqrt(a.honest(members)) }

// Remaining returns the standard deviation of planned noise in a total that includes only in of the
// members.
func (a *Account) Remaining(sd float64, members, in int) float64 {
	return sd * math.Sqrt(a.honest(in)/a.honest(members))
}

// Left returns the loss that is not spent.
func (a *Account) Left() ZCDP { return ZCDP(a.left / 2) }

// Spent returns the loss of all mechanisms so far.
func (a *Account) Spent() ZCDP { return a.allowed - ZCDP(a.left/2) }

// Deviation returns the standard deviation of normal noise with this loss, if one row moves the
// vector of all values by at most sensitivity, in the Euclidean norm.
func (z ZCDP) Deviation(sensitivity float64) float64 { return sensitivity / math.Sqrt(2*float64(z)) }

// DiscreteDeviation is Deviation for a vector to which [Discrete] noise is added: rounding to its
// grid may move the values, too.
func (z ZCDP) DiscreteDeviation(sensitivity float64, values int) float64 {
	return sensitivity / (math.Sqrt(2*float64(z)) - discreteRounding(values))
}

// Allowed returns the loss that ε and δ allow: that of the Gaussian mechanism with the least noise.
func Allowed(epsilon, delta float64) ZCDP { return GaussianZCDP(GaussianRatio(epsilon, delta)) }
