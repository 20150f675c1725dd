package discrepancy

import "math"

// A Rule says how discrepancies change the weights. With a member's share n_k of all rows and
// its discrepancy d_k, its weight is in proportion to (n_k − A·d_k + B)₊ (Ye et al. 2023; Page
// 2024, Eq. (3)). All members must use the same rule. The zero value weighs by numbers of rows.
type Rule struct {
	// A is the effect of discrepancies, at least 0. Page uses 0.1 to 0.9.
	A float64
	// B is a weight added for all members.
	B float64
	// Auto replaces B by the least offset of at least 0, to a sixteenth, that leaves every
	// member a weight of at least a thousandth of a mean share of the rows.
	Auto bool
	// Relative divides the discrepancies by their sum over all members, so that they add up to
	// 1 as shares do.
	Relative bool
	// Softplus, if positive, replaces x₊ by τ ln(1 + exp(x/τ)), with τ in mean shares of the
	// rows. No weight is then 0.
	Softplus float64
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
	// Offset is the b used.
	Offset float64
	// ByRows reports whether the rule left no member a weight, so that P is the share of the
	// rows.
	ByRows bool
	// Rows is the number of rows of all members in the sum.
	Rows float64
}

// offset holds b and the number of members.
type offset struct {
	b       float64
	members float64
}

// raw returns the weight before normalisation.
func (r Rule) raw(share, discrepancy float64, o offset) float64 {
	x := share - float64(r.A*discrepancy) + o.b
	if r.Softplus == 0 {
		return math.Max(0, x)
	}
	tau := r.Softplus / o.members
	return math.Max(0, x) + float64(tau*math.Log1p(math.Exp(-math.Abs(x)/tau)))
}

// most bounds raw if no share exceeds share.
func (r Rule) most(share float64, o offset) float64 {
	return share + math.Max(0, o.b) + float64(r.Softplus/o.members*math.Ln2)
}
