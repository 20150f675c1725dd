package gmm

import (
	"math"
	"slices"

	"github.com/collabdict/collabdict/internal/mixtures/density"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
	"github.com/collabdict/collabdict/internal/numeric/partial"
)

// Explain returns, for each variable i of each row x, the contribution
//
//	c_i = ln Σ_k π_k N(x with x_i = e_ik | μ_k, Λ_k⁻¹) − ln p(x)
//
// and the conditional mean of x_i given the others, Σ_k r_k(x without i) e_ik. Here e_ik = x_i
// − [Λ_k(x−μ_k)]_i/Λ_k,ii is the value that component k predicts from the other variables, and
// r_k(x without i) are the responsibilities given these alone.
//
// No other value of x_i raises ln p(x) by more than c_i, which is at least 0. With one
// component, c_i is the drop of the score if x_i had its predicted value. Only the other
// variables decide how likely each component is. So a faulty variable cannot move its row to a
// wide component in which nothing is unusual.
//
// Values larger than 10¹⁰⁰ are treated as 10¹⁰⁰. A missing cell (NaN) contributes 0 and gets
// its conditional mean; the other cells are explained as if the missing variables did not
// exist.
func (m *Mixture) Explain(z *mat.Dense) (algorithm.Explanation, error) {
	rows, dim := z.Dims()
	if dim != m.Dim() {
		panic(errShape)
	}
	out := algorithm.Explanation{Parts: mat.NewDense(rows, dim, nil), Expected: mat.NewDense(rows, dim, nil)}
	parallel.For((rows+parallel.BlockRows-1)/parallel.BlockRows, func(b int) {
		e := newExplainer(m)
		for j := b * parallel.BlockRows; j < min(rows, (b+1)*parallel.BlockRows); j++ {
			if partial.Any(z.RawRowView(j)) {
				continue
			}
			parts, expected := out.Parts.RawRowView(j), out.Expected.RawRowView(j)
			e.take(z.RawRowView(j))
			for i := range dim {
				parts[i], expected[i] = e.variable(i)
			}
		}
	})
	alike := alike(z)
	parallel.For(len(alike), func(p int) { m.explainPartial(z, alike[p], &out) })
	return out, nil
}

// alike returns the rows with missing cells, those with the same ones together.
func alike(z *mat.Dense) (groups [][]int) {
	rows, dim := z.Dims()
	of, key := map[string]int{}, make([]byte, dim)
	for j := range rows {
		x := z.RawRowView(j)
		if !partial.Any(x) {
			continue
		}
		for i, v := range x {
			if key[i] = 0; math.IsNaN(v) {
				key[i] = 1
			}
		}
		p, known := of[string(key)]
		if !known {
			p, groups = len(groups), append(groups, nil)
			of[string(key)] = p
		}
		groups[p] = append(groups[p], j)
	}
	return groups
}

// explainPartial explains rows whose missing cells are the same.
func (m *Mixture) explainPartial(z *mat.Dense, rows []int, out *algorithm.Explanation) {
	o := m.evaluator().Observer(nil)
	var of []int // the others
	for i, v := range z.RawRowView(rows[0]) {
		if !math.IsNaN(v) {
			of = append(of, i)
		}
	}
	var sub *explainer
	if len(of) > 0 {
		if less, err := m.of(of); err == nil { // rounding may make its matrices degenerate
			sub = newExplainer(less)
		}
	}
	rest := make([]float64, len(of))
	for _, j := range rows {
		x, parts, expected := z.RawRowView(j), out.Parts.RawRowView(j), out.Expected.RawRowView(j)
		copy(expected, x)
		o.Complete(expected)
		if sub == nil {
			continue
		}
		for a, i := range of {
			rest[a] = x[i]
		}
		sub.take(rest)
		for a, i := range of {
			parts[i], expected[i] = sub.variable(a)
		}
	}
}

// of returns the marginal distribution of some of the variables, given by ascending indices. Its precision
// matrices are Schur complements: Λ_oo − Λ_om Λ_mm⁻¹ Λ_mo, with o the variables and m the others.
func (m *Mixture) of(places []int) (*Mixture, error) {
	k, dim := m.Components(), len(places)
	var others []int
	for i := range m.Dim() {
		if !slices.Contains(places, i) {
			others = append(others, i)
		}
	}
	means, precisions := mat.NewDense(k, dim, nil), make([]*mat.SymDense, k)
	inner, solved := mat.NewSymDense(len(others), nil), make([][]float64, dim)
	for c := range k {
		whole, part := m.Precision(c), mat.NewSymDense(dim, nil)
		for a, i := range others {
			for b, j := range others[a:] {
				inner.SetSym(a, a+b, whole.At(i, j))
			}
		}
		factor := partial.Factorise(inner)
		for a, i := range places {
			means.Set(c, a, m.means.At(c, i))
			solved[a] = solved[a][:0] // Λ_mm⁻¹ Λ_mi
			for _, j := range others {
				solved[a] = append(solved[a], whole.At(i, j))
			}
			factor.Solve(solved[a])
		}
		for a, i := range places {
			for b, j := range places[a:] {
				v := whole.At(i, j)
				for q, by := range solved[a+b] {
					v -= float64(whole.At(i, others[q]) * by)
				}
				part.SetSym(a, a+b, v)
			}
		}
		precisions[c] = part
	}
	return NewMixture(m.weights, means, precisions)
}

// explainer holds intermediate values of one row for each component.
type explainer struct {
	*Mixture
	log       []float64   // ln π_k + ½ ln|Λ_k| − M/2 ln 2π
	width     [][]float64 // 1/√Λ_k,ii
	off       [][]float64 // x − μ_k
	predicted [][]float64 // e_k − μ_k
	square    []float64   // (x−μ_k)ᵀΛ_k(x−μ_k)
	joint     []float64   // ln π_k N(x|μ_k, Λ_k⁻¹)
	total     float64     // ln p(x)
	without   []float64   // for one i: ln π_k N(x with x_i = e_ik|μ_k, Λ_k⁻¹)
	moved     []float64   // x − μ_k with x_i = e_ik
	spare     []float64
}

func newExplainer(m *Mixture) *explainer {
	k, dim := m.Components(), m.Dim()
	room := func(n int) []float64 { return make([]float64, n) }
	e := &explainer{Mixture: m, square: room(k), joint: room(k), without: room(k), moved: room(dim), spare: room(dim)}
	for c, p := range m.parts {
		e.log = append(e.log, math.Log(m.weights[c])+p.LogNorm)
		e.off, e.predicted, e.width = append(e.off, room(dim)), append(e.predicted, room(dim)), append(e.width, room(dim))
		for i, v := range p.Diagonal {
			e.width[c][i] = 1 / math.Sqrt(v)
		}
	}
	return e
}

func (e *explainer) take(x []float64) {
	for k := range e.parts {
		mean := e.means.RawRowView(k)
		for i, v := range x {
			e.off[k][i] = math.Max(-density.Farthest, math.Min(density.Farthest, v)) - mean[i]
		}
		e.square[k] = e.squareOf(k, e.predicted[k], e.off[k])
		e.joint[k] = e.log[k] - e.square[k]/2
	}
	e.total = logSumExp(e.joint)
}

func logSumExp(x []float64) float64 {
	top, sum := slices.Max(x), 0.0
	if math.IsInf(top, -1) {
		return top
	}
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

// variable returns the contribution of variable i and its conditional mean.
//
// With z² = Λ_k,ii(x_i−e_ik)², N(x with x_i = e_ik|k) is N(x|k) e^{z²/2}. As N(x_i|others, k)
// is √(Λ_k,ii/2π) e^{−z²/2}, it is also N(x without i|k) √(Λ_k,ii/2π).
func (e *explainer) variable(i int) (part, expected float64) {
	for k, p := range e.parts {
		d := e.off[k][i] - e.predicted[k][i]
		z := float64(p.Diagonal[i] * d * d)
		if e.without[k] = e.joint[k] + z/2; e.square[k] > cancels && e.square[k]-z < e.square[k]/cancels {
			copy(e.moved, e.off[k])
			e.moved[i] = e.predicted[k][i]
			e.without[k] = e.log[k] - e.squareOf(k, e.spare, e.moved)/2
		}
	}
	top, peaks, others := slices.Max(e.without), 0.0, 0.0
	for k, v := range e.without {
		peak := math.Exp(v - top)
		other := float64(peak * e.width[k][i])
		peaks += peak
		others += other
		expected += float64(other * (e.means.At(k, i) + e.predicted[k][i]))
	}
	return math.Max(0, top+math.Log(peaks)-e.total), expected / others
}

// cancels is the limit of cancellation. If a square is larger than this, and larger than the
// square without one variable by this factor, the latter is computed anew, because as a
// difference it would have too few digits.
const cancels = 1e3

// squareOf returns dᵀΛ_k d. It sets predicted to the values of d_i that the others predict, −Σ_j
// Λ_ij d_j / Λ_ii over all j other than i.
func (m *Mixture) squareOf(k int, predicted, d []float64) (sum float64) {
	clear(predicted)
	if m.form == Full {
		precision := m.precisions[k].RawSymmetric()
		for i, v := range d {
			row := precision.Data[i*precision.Stride:][:len(d)]
			others := 0.0
			for j := i + 1; j < len(d); j++ { // only the upper triangle is stored
				others += float64(d[j] * row[j])
				predicted[j] -= float64(v * row[j])
			}
			predicted[i] -= others
		}
	}
	for i, v := range m.parts[k].Diagonal {
		predicted[i] /= v
		sum += float64(v * d[i] * (d[i] - predicted[i]))
	}
	return sum
}
