package discrepancy

import "math"

// A Rule says how discrepancies change the weights (Ye et al. 2023; Page 2024, Eq. (3)). With a
// member's share n_k of all rows and its discrepancy d_k, its weight is in proportion to
//
//	(n_k − a·d_k + b)₊,
//
// where x₊ is the larger of x and 0. The effect a is A. The offset b is the same for all members: B,
// or with Auto one on which they agree. All members must use the same rule. The zero value weighs
// by numbers of rows.
type Rule struct {
	// A is the effect of discrepancies, at least 0. Page uses 0.1 to 0.9.
	A float64
	// B is the offset, unless Auto is set.
	B float64
	// Auto takes as the offset the least of at least 0, to a sixteenth, that leaves every member a
	// weight of at least a thousandth of a mean share of the rows.
	Auto bool
	// Relative divides the discrepancies by their sum over all members, so that they add up to
	// 1 as shares do.
	Relative bool
}

// FedAvg returns the rule of McMahan et al. 2017: weights are shares of the rows.
func FedAvg() Rule { return Rule{} }

// FedDisco returns the rule of Ye et al. 2023 with their values, for discrepancies from
// [Labels].
func FedDisco() Rule { return Rule{A: 0.5, B: 0.1, Relative: true} }

// A Member holds the values that determine a member's weight.
type Member struct {
	Rows float64
	// Discrepancy is d_k. A negative value, which debiasing can produce, counts as 0.
	Discrepancy float64
}

// A Weight is a member's part in a mean over all members.
type Weight struct {
	// P is p_k. The weights of the members that agreed on them add up to 1 within the tolerance
	// of a sum.
	P float64
	// Offset is the offset used: B, or with Auto the one on which members agreed.
	Offset float64
	// ByRows reports whether the rule left no member a weight, so that P is the share of the
	// rows.
	ByRows bool
	// Rows is the number of rows of all members in the sum.
	Rows float64
}

// weight returns the weight before normalisation, with the given offset.
func (r Rule) weight(share, discrepancy, offset float64) float64 {
	return math.Max(0, share-float64(r.A*discrepancy)+offset)
}

// bound returns the largest weight before normalisation, if no share is above the given one.
func (r Rule) bound(share, offset float64) float64 {
	return share + math.Max(0, offset)
}
