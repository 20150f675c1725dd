package discrepancy

import "math"

// Rule says how discrepancies change the weights: with a member's share n_k of all rows
// and its discrepancy d_k, its weight is in proportion to (n_k − A·d_k + B)₊ (Ye et al.
// 2023; Page 2024, Eq. (3)). All members must use the same. The zero value is
// the mean by numbers of rows.
type Rule struct {
	// A is the effect of discrepancies, at least 0. Page has 0.1 to 0.9.
	A float64
	// B is the weight that all members have besides.
	B float64
	// Auto takes in place of B the least offset, to a sixteenth, of at least 0 that
	// leaves every member a weight, of a thousandth of a mean share of the rows.
	Auto bool
	// Relative divides the discrepancies by their sum over all members, so that A
	// is comparable to the shares, which add up to 1 too.
	Relative bool
	// Softplus, if positive, takes τ ln(1 + exp(x/τ)) in place of x₊, with τ so many
	// mean shares of the rows. No weight is 0 then.
	Softplus float64
}

// FedAvg returns the rule of McMahan et al. 2017: weights are shares of the rows.
func FedAvg() Rule { return Rule{} }

// FedDisco returns the rule of Ye et al. 2023 with their values, for discrepancies of [Labels].
func FedDisco() Rule { return Rule{A: 0.5, B: 0.1, Relative: true} }

// Member is what the weight of a member is made of.
type Member struct {
	Rows float64
	// Discrepancy d_k. Below 0, which chance makes of some that are debiased, counts as 0.
	Discrepancy float64
}

// Weight is a member's part of a mean over all members.
type Weight struct {
	// P is p_k. The weights of the members that agreed on them add up to 1 within
	// the tolerance of a sum.
	P float64
	// Offset is the b that was used.
	Offset float64
	// ByRows says that the rule left no member a weight, and that P is the share of
	// the rows therefore.
	ByRows bool
	// Rows are those of all members that were in the sum.
	Rows float64
}

// offset is b with the members that there are.
type offset struct {
	b       float64
	members float64
}

// raw returns the weight before it is divided by those of all.
func (r Rule) raw(share, discrepancy float64, o offset) float64 {
	x := share - float64(r.A*discrepancy) + o.b
	if r.Softplus == 0 {
		return math.Max(0, x)
	}
	tau := r.Softplus / o.members
	return math.Max(0, x) + float64(tau*math.Log1p(math.Exp(-math.Abs(x)/tau)))
}

// most bounds raw where no share is above most.
func (r Rule) most(share float64, o offset) float64 {
	return share + math.Max(0, o.b) + float64(r.Softplus/o.members*math.Ln2)
}
