package gmm

import (
	"math"
	"slices"

	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/mixtures/density"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
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
	groups := alike(z)
	parallel.For(len(groups), func(g int) {
		e := newExplainer(m.given(z.RawRowView(groups[g][0])), len(groups[g]))
		for some := range slices.Chunk(groups[g], takenAtOnce) {
			e.take(z, some)
			for r, j := range some {
				e.explain(r, out.Parts.RawRowView(j), out.Expected.RawRowView(j))
			}
		}
	})
	return out, nil
}

// alike returns the rows in groups of at most [lanes.BlockRows] whose missing cells are the same.
func alike(z *mat.Dense) (groups [][]int) {
	rows, dim := z.Dims()
	of, key := map[string]int{}, make([]byte, dim)
	for j := range rows {
		for i, v := range z.RawRowView(j) {
			if key[i] = 0; math.IsNaN(v) {
				key[i] = 1
			}
		}
		g, known := of[string(key)]
		if !known || len(groups[g]) == lanes.BlockRows {
			g, groups = len(groups), append(groups, nil)
			of[string(key)] = g
		}
		groups[g] = append(groups[g], j)
	}
	return groups
}

// A marginal is the distribution of the variables that a row has. Fields are by component.
type marginal struct {
	variables, missing []int
	log                []float64   // ln π_k + ½ ln|Λ_k| − M/2 ln 2π
	means, missed      [][]float64 // of the variables, and of the missing ones
	diagonal, width    [][]float64 // Λ_k,ii and 1/√Λ_k,ii
	// others predicts each variable from the others: −Λ_k,ij/Λ_k,ii in row j and column i, 0 for i = j. It is nil
	// if no variable depends on another one.
	others [][]float64
	// fill is Λ_mm⁻¹ Λ_mo with a row per missing variable, which predicts that from the variables.
	fill [][]float64
}

// given returns the marginal distribution of the variables that a row has. With o for these and m for the
// missing ones, its precision matrices are the Schur complements Λ_oo − Λ_om Λ_mm⁻¹ Λ_mo, and their determinants are
// |Λ|/|Λ_mm|.
func (m *Mixture) given(row []float64) *marginal {
	k := m.Components()
	g := &marginal{missing: partial.Missing(nil, row), log: make([]float64, k)}
	for i, v := range row {
		if !math.IsNaN(v) {
			g.variables = append(g.variables, i)
		}
	}
	for c, p := range m.parts {
		g.means, g.missed = append(g.means, gathered(m.means.RawRowView(c), g.variables)), append(g.missed, gathered(m.means.RawRowView(c), g.missing))
		logDet := 0.0 // of Λ_mm
		if m.form == Full {
			logDet = g.addFull(m.precisions[c])
		} else {
			g.diagonal = append(g.diagonal, gathered(p.Diagonal, g.variables))
			for _, i := range g.missing {
				logDet += math.Log(p.Diagonal[i])
			}
		}
		width := make([]float64, len(g.variables))
		for a, v := range g.diagonal[c] {
			width[a] = 1 / math.Sqrt(v)
		}
		g.width = append(g.width, width)
		g.log[c] = math.Log(m.weights[c]) + p.LogNorm + (float64(float64(len(g.missing))*ln2Pi)-logDet)/2
	}
	return g
}

// gathered returns the values at some places.
func gathered(of []float64, places []int) []float64 {
	out := make([]float64, len(places))
	for a, i := range places {
		out[a] = of[i]
	}
	return out
}

// addFull adds what depends on the precision matrix of the next component. It returns ln|Λ_mm|.
func (g *marginal) addFull(precision *mat.SymDense) (logDet float64) {
	n, whole := len(g.variables), precision.RawSymmetric()
	part := make([]float64, n*n) // first Λ_oo
	for a, i := range g.variables {
		row := whole.Data[i*whole.Stride:]
		for b := a; b < n; b++ { // only the upper triangle is stored
			part[a*n+b] = row[g.variables[b]]
			part[b*n+a] = part[a*n+b]
		}
	}
	fill := make([]float64, len(g.missing)*n)
	if len(g.missing) > 0 {
		inner, cross := mat.NewSymDense(len(g.missing), nil), make([]float64, len(fill))
		for a, i := range g.missing {
			for b, j := range g.missing[a:] {
				inner.SetSym(a, a+b, precision.At(i, j))
			}
			for b, j := range g.variables {
				cross[a*n+b] = precision.At(i, j)
			}
		}
		factor := partial.Factorise(inner)
		logDet = factor.LogDet()
		inverse := factor.Inverse()
		for a := range g.missing {
			row := fill[a*n : (a+1)*n]
			for q := range g.missing {
				blas.AddScaled(row, inverse.At(a, q), cross[q*n:(q+1)*n])
			}
		}
		for b := range n {
			for q := range g.missing {
				blas.AddScaled(part[b*n:(b+1)*n], -cross[q*n+b], fill[q*n:(q+1)*n])
			}
		}
	}
	diagonal, scale := make([]float64, n), make([]float64, n)
	for a, i := range g.variables {
		if diagonal[a], scale[a] = part[a*n+a], -1/part[a*n+a]; !(diagonal[a] > 0) { // by rounding
			diagonal[a], scale[a] = precision.At(i, i), 0
		}
	}
	for b := range n {
		row := part[b*n : (b+1)*n]
		for a, by := range scale {
			row[a] *= by
		}
		row[b] = 0
	}
	g.diagonal, g.others, g.fill = append(g.diagonal, diagonal), append(g.others, part), append(g.fill, fill)
	return logDet
}

// An explainer explains rows by a marginal distribution.
type explainer struct {
	*marginal
	// of the rows taken:
	x              []float64
	off, predicted [][]float64 // x − μ_k and e_k − μ_k, by component
	// of one row:
	square  []float64   // (x−μ_k)ᵀΛ_k(x−μ_k)
	joint   []float64   // ln π_k N(x|μ_k, Λ_k⁻¹)
	near    []int       // the components that matter
	without [][]float64 // ln π_k N(x with x_i = e_ik|μ_k, Λ_k⁻¹), of those
	top     []float64   // the largest of these by variable
	peaks   []float64   // sums of e^(without−top)
	weights []float64   // sums of their products with the widths
	moved   []float64   // x − μ_k with x_i = e_ik
	spare   []float64
}

// takenAtOnce is the number of rows that an explainer takes at most, so that they stay in the cache.
const takenAtOnce = 32

// newExplainer returns an explainer for some number of rows.
func newExplainer(g *marginal, rows int) *explainer {
	k, n, rows := len(g.log), len(g.variables), min(rows, takenAtOnce)
	room := func(n int) []float64 { return make([]float64, n) }
	e := &explainer{
		marginal: g, x: room(rows * n), square: room(k), joint: room(k),
		top: room(n), peaks: room(n), weights: room(n), moved: room(n), spare: room(n),
	}
	for range k {
		e.off, e.predicted, e.without = append(e.off, room(rows*n)), append(e.predicted, room(rows*n)), append(e.without, room(n))
	}
	return e
}

// take takes some rows of z, at most takenAtOnce.
func (e *explainer) take(z *mat.Dense, rows []int) {
	n := len(e.variables)
	for r, j := range rows {
		row, x := z.RawRowView(j), e.x[r*n:]
		for a, i := range e.variables {
			x[a] = max(-density.Farthest, min(density.Farthest, row[i]))
		}
	}
	for k, mean := range e.means {
		for r := range rows {
			x, off := e.x[r*n:(r+1)*n], e.off[k][r*n:]
			for a, m := range mean {
				off[a] = x[a] - m
			}
		}
		if e.others != nil && n > 0 {
			blas.Implementation{}.Dgemm(gonum.NoTrans, gonum.NoTrans, len(rows), n, n, 1, e.off[k], n, e.others[k], n, 0, e.predicted[k], n)
		}
	}
}

// negligible is the log of a share of the density that does not matter.
const negligible = -80

// explain sets the contributions of the variables of the r-th row taken, and what is expected of all variables.
//
// With z² = Λ_k,ii(x_i−e_ik)², N(x with x_i = e_ik|k) is N(x|k) e^{z²/2}. As N(x_i|others, k)
// is √(Λ_k,ii/2π) e^{−z²/2}, it is also N(x without i|k) √(Λ_k,ii/2π).
func (e *explainer) explain(r int, parts, expected []float64) {
	n := len(e.variables)
	from, to := r*n, (r+1)*n
	for k, diagonal := range e.diagonal {
		off, predicted, without := e.off[k][from:to], e.predicted[k][from:to], e.without[k]
		e.square[k] = 0
		for a, v := range diagonal {
			d := off[a] - predicted[a]
			e.square[k] += float64(v * off[a] * d)
			without[a] = float64(v*d*d) / 2
		}
		e.joint[k] = e.log[k] - e.square[k]/2
	}
	total := logSumExp(e.joint)
	e.near = e.near[:0]
	for k, joint := range e.joint {
		// Such differences of huge squares do not tell.
		if n == 0 || !(joint+slices.Max(e.without[k]) < total+negligible) || e.square[k] > huge {
			e.near = append(e.near, k)
		}
	}
	for q, k := range e.near {
		off, predicted, without := e.off[k][from:to], e.predicted[k][from:to], e.without[k]
		for a, gain := range without {
			if without[a] = e.joint[k] + gain; e.square[k] > cancels && e.square[k]-2*gain < e.square[k]/cancels {
				copy(e.moved, off)
				e.moved[a] = predicted[a]
				without[a] = e.log[k] - e.squareOf(k, e.moved)/2
			}
			if q == 0 || without[a] > e.top[a] {
				e.top[a] = without[a]
			}
		}
	}
	clear(e.peaks)
	clear(e.weights)
	clear(e.spare)
	for _, k := range e.near {
		mean, predicted, width := e.means[k], e.predicted[k][from:to], e.width[k]
		for a, v := range e.without[k] {
			peak := 1.0
			if v != e.top[a] {
				peak = math.Exp(v - e.top[a])
			}
			weight := float64(peak * width[a])
			e.peaks[a] += peak
			e.weights[a] += weight
			e.spare[a] += float64(weight * (mean[a] + predicted[a]))
		}
	}
	for a, i := range e.variables {
		parts[i], expected[i] = max(0, e.top[a]+math.Log(e.peaks[a])-total), e.spare[a]/e.weights[a]
	}
	for _, k := range e.near {
		share := math.Exp(e.joint[k] - total)
		for q, i := range e.missing {
			v := e.missed[k][q]
			if e.fill != nil {
				v -= blas.Dot(e.fill[k][q*n:(q+1)*n], e.off[k][from:to])
			}
			expected[i] += float64(share * v)
		}
	}
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

// cancels is the limit of cancellation. If a square is larger than this, and larger than the
// square without one variable by this factor, the latter is computed anew, because as a
// difference it would have too few digits.
const cancels = 1e3

// huge is a square whose differences may be wrong by more than a nat.
const huge = 1e12

// squareOf returns dᵀΛ_k d.
func (e *explainer) squareOf(k int, d []float64) (sum float64) {
	predicted, n := e.spare, len(d)
	clear(predicted)
	if e.others != nil {
		for a, v := range d {
			blas.AddScaled(predicted, v, e.others[k][a*n:(a+1)*n])
		}
	}
	for a, v := range e.diagonal[k] {
		sum += float64(v * d[a] * (d[a] - predicted[a]))
	}
	return sum
}
