package privacy

import "math"

// Shares say how the rows of a participant share in its part of one component: each row n
// has the share r_k(n)/N_k.
type Shares struct {
	Rows    float64 // N_k, the sum of the responsibilities
	Nats    float64 // the entropy of the shares; e to its power counts rows
	Largest float64 // of the shares
}

// SharesOf returns those of responsibilities r: of their sum, of Σ r ln r and of the largest.
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

// Live reports whether the part is one of a row at least.
func (s Shares) Live() bool { return s.Rows >= 1 }

// Below reports whether the part of a component rests on fewer than so many rows: by the
// entropy of their shares, or because one row has more than two in so many of all. Entropy
// alone does not see a single row with a large share among very many small ones.
func (s Shares) Below(least float64) bool {
	least *= 1 - 1e-9 // rounding is no row
	return s.Rows > 0 && (math.Exp(s.Nats) < least || s.Largest*least > 2)
}
