package gmm

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/mixture"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/partial"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// observer evaluates a mixture at rows with missing cells, one row at a time. It integrates
// over the missing cells: with o the cells present and m the missing ones,
//
//	ln N(x_o|k) = ln N(x_o, x̂_k|k) − ln N(x̂_k|x_o, k),  x̂_k = μ_m − Λ_mm⁻¹ Λ_mo (x_o − μ_o).
type observer struct {
	*Mixture
	tilts      []float64 // K values, or nil for zeros
	logWeights []float64
	precisions [][]float64 // M by M, both triangles
	known      map[string][]*partial.Conditional
	key        []byte

	// The following fields describe the last row.
	missing []int
	of      []*partial.Conditional // by component
	off     *mat.Dense             // K by M, x − μ_k with x̂_k in place of missing cells
	norm    []float64              // maximum of ln N(x_o|k), plus the tilt
	logd    []float64              // ln N(x_o|k) plus the tilt
	joint   []float64              // logd + ln π_k
	r       []float64              // r_k(x_o)
	total   float64                // ln p(x_o)
	spare   []float64
}

// mostPatterns is the maximum number of patterns of missing cells that an observer remembers.
const mostPatterns = 256

func (m *Mixture) observer(tilts []float64) *observer {
	k, dim := m.Components(), m.Dim()
	room := func(n int) []float64 { return make([]float64, n) }
	o := &observer{
		Mixture: m, tilts: tilts, known: map[string][]*partial.Conditional{}, off: mat.NewDense(k, dim, nil), key: make([]byte, (dim+7)/8),
		norm: room(k), logd: room(k), joint: room(k), r: room(k), spare: room(dim),
	}
	for c := range m.parts {
		full, of := room(dim*dim), m.Precision(c)
		for i := range dim {
			for j := range dim {
				full[i*dim+j] = of.At(i, j)
			}
		}
		o.precisions = append(o.precisions, full)
		o.logWeights = append(o.logWeights, math.Inf(-1))
		if m.weights[c] > 0 {
			o.logWeights[c] = portable.Log(m.weights[c])
		}
	}
	return o
}

func (o *observer) conditionals() {
	clear(o.key)
	for _, i := range o.missing {
		o.key[i/8] |= 1 << (i % 8)
	}
	of, ok := o.known[string(o.key)]
	if !ok {
		missing := append([]int(nil), o.missing...)
		for _, p := range o.precisions {
			of = append(of, partial.NewConditional(p, o.Dim(), missing))
		}
		if len(o.known) >= mostPatterns {
			clear(o.known)
		}
		o.known[string(o.key)] = of
	}
	o.of = of
}

// take sets the row. Values larger than 10¹⁰⁰ are treated as 10¹⁰⁰.
func (o *observer) take(x []float64) {
	o.missing = partial.Missing(o.missing[:0], x)
	o.conditionals()
	for k := range o.parts {
		d, mean := o.off.RawRowView(k), o.means.RawRowView(k)
		for i, v := range x {
			if d[i] = 0; !math.IsNaN(v) {
				d[i] = math.Max(-farthest, math.Min(farthest, v)) - mean[i]
			}
		}
		c := o.of[k]
		c.Fill(d)
		o.norm[k] = o.parts[k].logNorm + float64(0.5*float64(float64(len(o.missing))*ln2Pi)) - float64(0.5*c.LogDet)
		if o.tilts != nil {
			o.norm[k] += o.tilts[k]
		}
		o.logd[k] = o.norm[k] - float64(0.5*o.squareOf(k, d))
		o.joint[k] = o.logd[k] + o.logWeights[k]
	}
	o.total = logSum(o.joint)
	for k, v := range o.joint {
		if o.r[k] = mixture.Exp(math.Min(v-o.total, 0)); math.IsInf(o.total, -1) || math.IsNaN(o.r[k]) {
			o.r[k] = o.weights[k] // the row is so far out that no component is more likely than another
		}
	}
	if sum := passes.Sum(o.r); sum > 0 {
		for k := range o.r {
			o.r[k] /= sum
		}
	}
}

// squareOf returns dᵀΛ_k d.
func (o *observer) squareOf(k int, d []float64) (sum float64) {
	p, dim := o.parts[k], len(d)
	if p.root == nil {
		for i, v := range d {
			sum += float64(p.diagonal[i] * float64(v*v))
		}
		return sum
	}
	for i := range d {
		v := blas.Dot(p.root[i*dim+i:(i+1)*dim], d[i:])
		sum += float64(v * v)
	}
	return sum
}

// value returns the value of cell i, or, if it is missing, the one that component k expects.
func (o *observer) value(k, i int) float64 { return o.means.At(k, i) + o.off.At(k, i) }

// surprise returns −ln p(x_o) + E[−ln p(x_m|x_o)], the expected surprise of the whole row given
// the cells present, so that it compares with the surprise of complete rows. For one component
// the entropy of the missing cells is exact. For several it has no closed form; the upper bound
// −Σ_k r_k ln Σ_l r_l exp(−KL(k,l)) + Σ_k r_k H_k of Kolchinsky and Tracey (2017) takes its
// place. The bound is exact if the components are equal or far apart.
func (o *observer) surprise() float64 {
	if math.IsInf(o.total, -1) || math.IsNaN(o.total) {
		return math.Inf(1)
	}
	sum := -o.total
	for k, r := range o.r {
		if r > 0 {
			sum += float64(r * (o.of[k].Entropy() - o.overlap(k)))
		}
	}
	return sum
}

// leastShare is the responsibility below which a component is ignored.
const leastShare = 1e-9

// overlap returns ln Σ_l r_l exp(−KL(k,l)) for the distributions of the missing cells.
func (o *observer) overlap(k int) float64 {
	if len(o.missing) == 0 || o.r[k] > 1-leastShare {
		return 0
	}
	covariance, n, sum := o.of[k].Covariance(), len(o.missing), 0.0
	for l, r := range o.r {
		if l == k {
			sum += r
		}
		if l == k || r < leastShare {
			continue
		}
		precision, trace := o.precisions[l], 0.0
		for a, i := range o.missing {
			row := precision[i*o.Dim():]
			for b, j := range o.missing {
				d := float64((o.value(k, i) - o.value(l, i)) * (o.value(k, j) - o.value(l, j)))
				trace += float64(row[j] * (covariance[a*n+b] + d))
			}
		}
		divergence := 0.5 * (trace - float64(n) + o.of[k].LogDet - o.of[l].LogDet)
		sum += float64(r * mixture.Exp(-math.Max(0, divergence)))
	}
	return portable.Log(sum)
}

// expected returns minus the row's log density, averaged over the components by responsibility
// as in scoreOf, with expected values for the missing cells.
func (o *observer) expected() (sum float64) {
	for k, r := range o.r {
		if r > 0 {
			sum += float64(r * (o.of[k].Entropy() - o.logd[k]))
		}
	}
	if math.IsNaN(sum) || math.IsInf(o.total, -1) {
		return math.Inf(1)
	}
	return sum
}

// complete sets the missing cells of a row to their conditional means.
func (o *observer) complete(x []float64) {
	o.take(x)
	for _, i := range o.missing {
		x[i] = 0
		for k, r := range o.r {
			x[i] += float64(r * o.value(k, i))
		}
	}
}

// add adds the row to the moments about the origin. Missing cells contribute their conditional
// means and covariances, which are kept within limits (one per column) unless limits is nil.
func (o *observer) add(to *passes.Partial, limits []float64) {
	s, dim := to.Moments, o.Dim()
	s.LogLik += o.total
	for k, r := range o.r {
		plogp := 0.0
		if r > 0 {
			plogp = float64(r * portable.Log(r))
		}
		to.Responsible(k, r, plogp, o.logd[k])
		if r == 0 {
			continue
		}
		to.Cells += float64(r * o.of[k].Entropy())
		x := o.spare
		for i := range x {
			x[i] = o.value(k, i)
		}
		n, covariance := len(o.missing), o.of[k].Covariance()
		for a, i := range o.missing {
			if limits == nil {
				break
			}
			x[i] = math.Max(-limits[i], math.Min(limits[i], x[i]))
			if v := covariance[a*n+a]; v > limits[i]*limits[i] {
				by := limits[i] / math.Sqrt(v)
				for b := range n {
					covariance[a*n+b] *= by
					covariance[b*n+a] *= by
				}
			}
		}
		s.N[k] += r
		blas.AddScaled(s.First[k*dim:(k+1)*dim], r, x)
		second := s.Second[k*dim*dim : (k+1)*dim*dim]
		for i, v := range x {
			blas.AddScaled(second[i*dim+i:(i+1)*dim], float64(r*v), x[i:])
		}
		for a, i := range o.missing {
			for b := a; b < n; b++ {
				second[i*dim+o.missing[b]] += float64(r * covariance[a*n+b])
			}
		}
	}
}

// PartialStatistics computes the expected moments about the origin of rows with missing cells,
// with the responsibilities of [Mixture.Statistics]. Unless limits is nil, limits[i] bounds the
// size of the value put in place of a missing cell of column i, and its standard deviation.
func (m *Mixture) PartialStatistics(r *passes.Reader, tilts, limits []float64) (*passes.Partial, error) {
	observers := make([]*observer, r.Lanes())
	return r.Partials(m.Components(), func(lane int, x []float64, to *passes.Partial) {
		if observers[lane] == nil {
			observers[lane] = m.observer(tilts)
		}
		for ; len(x) > 0; x = x[r.Dim:] {
			observers[lane].take(x[:r.Dim])
			observers[lane].add(to, limits)
		}
	})
}

// Complete returns the rows with missing cells replaced by their conditional means.
func (m *Mixture) Complete(z *mat.Dense) (*mat.Dense, error) {
	out := mat.DenseCopyOf(z)
	n, _ := z.Dims()
	var o *observer
	for i := range n {
		if row := out.RawRowView(i); partial.Any(row) {
			if o == nil {
				o = m.observer(nil)
			}
			o.complete(row)
		}
	}
	return out, nil
}

// partialRows calls f for each row j of a block that has missing cells, with an observer that
// has taken it.
func (m *Mixture) partialRows(s *passes.Space, f func(j int, o *observer)) {
	var o *observer
	for j := range s.LogSums() {
		if row := s.Row(j, m.Dim()); partial.Any(row) {
			if o == nil {
				o = m.observer(nil)
			}
			o.take(row)
			f(j, o)
		}
	}
}
