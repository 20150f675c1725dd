package session

import "math"

// mixing is one iteration at a vertex:
// ω (x + α Σ_j w_j (x_j - x)) + (1-ω) before.
type mixing struct {
	x, before    []uint64
	others       [][]uint64
	weights      []float64
	alpha, omega float64
}

// stretch is the number of words that are mixed at a time, so that the sums over
// the neighbours stay in the first cache.
const stretch = 512

// vector returns the next vector. The sum is taken in the order of the others,
// and each product is rounded before it is added, so that no architecture fuses
// the two and goes on from other bits.
func (m *mixing) vector() []uint64 {
	next := make([]uint64, len(m.x))
	for from := 0; from < len(next); from += stretch {
		to := min(from+stretch, len(next))
		sum, x := next[from:to], m.x[from:to]
		for j, other := range m.others {
			accumulate(sum, x, other[from:to], m.weights[j])
		}
		move(sum, x, m.alpha)
		if m.omega != 1 {
			extrapolate(sum, m.before[from:to], m.omega)
		}
	}
	return next
}

// accumulate adds weight (other - x) to sum.
func accumulate(sum, x, other []uint64, weight float64) {
	x, other = x[:len(sum)], other[:len(sum)]
	for i, s := range sum {
		d := weight * (math.Float64frombits(other[i]) - math.Float64frombits(x[i]))
		sum[i] = math.Float64bits(math.Float64frombits(s) + float64(d))
	}
}

// move turns sum into x + alpha sum.
func move(sum, x []uint64, alpha float64) {
	x = x[:len(sum)]
	for i, s := range sum {
		sum[i] = math.Float64bits(math.Float64frombits(x[i]) + float64(alpha*math.Float64frombits(s)))
	}
}

// extrapolate turns next into omega next + (1-omega) before.
func extrapolate(next, before []uint64, omega float64) {
	before = before[:len(next)]
	rest := 1 - omega
	for i, n := range next {
		next[i] = math.Float64bits(float64(omega*math.Float64frombits(n)) + float64(rest*math.Float64frombits(before[i])))
	}
}

// checkFinite says whether a word is not the bits of a finite number.
func checkFinite(words []uint64) string {
	var wrong uint64
	for _, w := range words {
		wrong |= (w>>52&0x7ff + 1) >> 11
	}
	if wrong != 0 {
		return "a value is not finite"
	}
	return ""
}
