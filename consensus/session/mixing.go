package session

import "math"

// A mixing is one iteration at a vertex: ω (x + α Σ_j w_j (x_j - x)) + (1-ω) before.
type mixing struct {
	x, before    []uint64
	others       [][]uint64
	weights      []float64
	alpha, omega float64
}

// stretch is the number of words mixed at a time, so that the sums over the neighbours stay in
// the first-level cache.
const stretch = 512

// vector returns the next vector. It sums in the order of the others and rounds each product
// before it is added. So no architecture fuses the two, and all get the same bits.
func (m *mixing) vector() []uint64 {
	next := make([]uint64, len(m.x))
	for from := 0; from < len(next); from += stretch {
		to := min(from+stretch, len(next))
		sum, x := next[from:to], m.x[from:to]
		m.sum(sum, x, from)
		move(sum, x, m.alpha)
		if m.omega != 1 {
			extrapolate(sum, m.before[from:to], m.omega)
		}
	}
	return next
}

// sum adds Σ_j w_j (x_j - x) to a stretch that begins at from, four neighbours at a time where
// possible.
func (m *mixing) sum(sum, x []uint64, from int) {
	j := 0
	for ; j+4 <= len(m.others); j += 4 {
		accumulate4(sum, x, from, [4][]uint64(m.others[j:]), [4]float64(m.weights[j:]))
	}
	for ; j < len(m.others); j++ {
		accumulate(sum, x, m.others[j][from:], m.weights[j])
	}
}

// accumulate4 is like accumulate for four others, in their order. It uses their words from
// index from on.
func accumulate4(sum, x []uint64, from int, others [4][]uint64, weights [4]float64) {
	to := from + len(sum)
	x, a, b, c, d := x[:len(sum)], others[0][from:to], others[1][from:to], others[2][from:to], others[3][from:to]
	for i := range sum {
		v, s := math.Float64frombits(x[i]), math.Float64frombits(sum[i])
		s += float64(weights[0] * (math.Float64frombits(a[i]) - v))
		s += float64(weights[1] * (math.Float64frombits(b[i]) - v))
		s += float64(weights[2] * (math.Float64frombits(c[i]) - v))
		s += float64(weights[3] * (math.Float64frombits(d[i]) - v))
		sum[i] = math.Float64bits(s)
	}
}

// accumulate adds weight (other - x) to sum.
func accumulate(sum, x, other []uint64, weight float64) {
	x, other = x[:len(sum)], other[:len(sum)]
	for i, s := range sum {
		d := weight * (math.Float64frombits(other[i]) - math.Float64frombits(x[i]))
		sum[i] = math.Float64bits(math.Float64frombits(s) + float64(d))
	}
}

// move replaces sum by x + alpha sum.
func move(sum, x []uint64, alpha float64) {
	x = x[:len(sum)]
	for i, s := range sum {
		sum[i] = math.Float64bits(math.Float64frombits(x[i]) + float64(alpha*math.Float64frombits(s)))
	}
}

// extrapolate replaces next by omega next + (1-omega) before.
func extrapolate(next, before []uint64, omega float64) {
	before = before[:len(next)]
	rest := 1 - omega
	for i, n := range next {
		next[i] = math.Float64bits(float64(omega*math.Float64frombits(n)) + float64(rest*math.Float64frombits(before[i])))
	}
}

// checkFinite returns a description of the fault if a word is not the bits of a finite number,
// or "".
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
