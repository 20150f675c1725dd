package privacy

import "math"

// Shares measures how the rows of a participant share in its part of one component. Row n has
// the share r_k(n)/N_k.
type Shares struct {
	Rows    float64 // N_k, the sum of the responsibilities
	Nats    float64 // entropy of the shares; e to its power is an effective number of rows
	Largest float64 // of the shares
}

// SharesOf returns the Shares of responsibilities r, given their sum, Σ r ln r and the largest.
func SharesOf(sum, plogp, top float64) Shares {
	if !(sum > 0) {
		return Shares{}
	}
	return Shares{
		Rows:    sum,
		Nats:    math.Max(0, math.Log(sum)-plogp/sum),
		Largest: math.Min(1, top/sum),
	}
}

// Live reports whether the part has at least one row.
func (s Shares) Live() bool { return s.Rows >= 1 }

// Below reports whether the part of a component rests on fewer than least rows: by the entropy
// of their shares, or because one row has a share above 2/least. Entropy alone would miss a
// single row with a large share among very many small ones.
func (s Shares) Below(least float64) bool {
	least *= 1 - 1e-9 // tolerate rounding
	return s.Rows > 0 && (math.Exp(s.Nats) < least || s.Largest*least > 2)
}
