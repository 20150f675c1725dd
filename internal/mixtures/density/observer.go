package density

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/mixture"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
	"github.com/collabdict/collabdict/internal/numeric/partial"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// An Observer evaluates a mixture at rows with missing cells, one row at a time. It integrates
// over the missing cells: with o the cells present and m the missing ones,
//
//	ln N(x_o|k) = ln N(x_o, x̂_k|k) − ln N(x̂_k|x_o, k),  x̂_k = μ_m − Λ_mm⁻¹ Λ_mo (x_o − μ_o).
type Observer struct {
	Density
	tilts      []float64 // K values, or nil for zeros
	logWeights []float64
	precisions [][]float64 // M by M, both triangles
	known      map[string][]*partial.Conditional
	key        []byte

	// The following fields describe the last row.

	Missing          []int
	Total            float64   // ln p(x_o)
	Responsibilities []float64 // r_k(x_o)
	LogDensities     []float64 // ln N(x_o|k) plus the tilt
	Norms            []float64 // maximum of ln N(x_o|k), plus the tilt

	conditionals []*partial.Conditional // by component
	off          *mat.Dense             // K by M, x − μ_k with x̂_k in place of missing cells
	joint        []float64              // ln N(x_o|k) plus the tilt and ln π_k
	spare        []float64
}

// Farthest bounds the size of values, so that their squares stay finite.
const Farthest = 1e100

const ln2Pi = 1.8378770664093453

// mostPatterns is the maximum number of patterns of missing cells that an observer remembers.
const mostPatterns = 256

// Observer returns an observer of the density. If tilts is not nil, tilts[k] is added to the log
// density of component k.
func (d Density) Observer(tilts []float64) *Observer {
	k, dim := len(d.weights), d.dim()
	room := func(n int) []float64 { return make([]float64, n) }
	o := &Observer{
		Density: d, tilts: tilts, known: map[string][]*partial.Conditional{}, off: mat.NewDense(k, dim, nil), key: make([]byte, (dim+7)/8),
		Norms: room(k), LogDensities: room(k), joint: room(k), Responsibilities: room(k), spare: room(dim),
	}
	for c, weight := range d.weights {
		full, precision := room(dim*dim), d.mixture.Precision(c)
		for i := range dim {
			for j := range dim {
				full[i*dim+j] = precision.At(i, j)
			}
		}
		o.precisions = append(o.precisions, full)
		o.logWeights = append(o.logWeights, math.Inf(-1))
		if weight > 0 {
			o.logWeights[c] = portable.Log(weight)
		}
	}
	return o
}

func (o *Observer) setConditionals() {
	clear(o.key)
	for _, i := range o.Missing {
		o.key[i/8] |= 1 << (i % 8)
	}
	given, ok := o.known[string(o.key)]
	if !ok {
		missing := append([]int(nil), o.Missing...)
		for _, p := range o.precisions {
			given = append(given, partial.NewConditional(p, o.dim(), missing))
		}
		if len(o.known) >= mostPatterns {
			clear(o.known)
		}
		o.known[string(o.key)] = given
	}
	o.conditionals = given
}

// Take sets the row. Values larger than 10¹⁰⁰ are treated as 10¹⁰⁰.
func (o *Observer) Take(x []float64) {
	o.Missing = partial.Missing(o.Missing[:0], x)
	o.setConditionals()
	for k := range o.parts {
		d, mean := o.off.RawRowView(k), o.means.RawRowView(k)
		for i, v := range x {
			if d[i] = 0; !math.IsNaN(v) {
				d[i] = math.Max(-Farthest, math.Min(Farthest, v)) - mean[i]
			}
		}
		c := o.conditionals[k]
		c.Fill(d)
		o.Norms[k] = o.parts[k].LogNorm + float64(0.5*float64(float64(len(o.Missing))*ln2Pi)) - float64(0.5*c.LogDet)
		if o.tilts != nil {
			o.Norms[k] += o.tilts[k]
		}
		o.LogDensities[k] = o.Norms[k] - float64(0.5*o.squareOf(k, d))
		o.joint[k] = o.LogDensities[k] + o.logWeights[k]
	}
	o.Total = LogSum(o.joint)
	for k, v := range o.joint {
		if o.Responsibilities[k] = mixture.Exp(math.Min(v-o.Total, 0)); math.IsInf(o.Total, -1) || math.IsNaN(o.Responsibilities[k]) {
			o.Responsibilities[k] = o.weights[k] // the row is so far out that no component is more likely than another
		}
	}
	if sum := passes.Sum(o.Responsibilities); sum > 0 {
		for k := range o.Responsibilities {
			o.Responsibilities[k] /= sum
		}
	}
}

// squareOf returns dᵀΛ_k d.
func (o *Observer) squareOf(k int, d []float64) (sum float64) {
	p, dim := o.parts[k], len(d)
	if p.Root == nil {
		for i, v := range d {
			sum += float64(p.Diagonal[i] * float64(v*v))
		}
		return sum
	}
	for i := range d {
		v := blas.Dot(p.Root[i*dim+i:(i+1)*dim], d[i:])
		sum += float64(v * v)
	}
	return sum
}

// value returns the value of cell i, or, if it is missing, the one that component k expects.
func (o *Observer) value(k, i int) float64 { return o.means.At(k, i) + o.off.At(k, i) }

// Surprise returns −ln p(x_o) + E[−ln p(x_m|x_o)], the expected surprise of the whole row given
// the cells present, so that it compares with the surprise of complete rows. For one component
// the entropy of the missing cells is exact. For several it has no closed form; the upper bound
// −Σ_k r_k ln Σ_l r_l exp(−KL(k,l)) + Σ_k r_k H_k of Kolchinsky and Tracey (2017) takes its
// place. The bound is exact if the components are equal or far apart.
func (o *Observer) Surprise() float64 {
	if math.IsInf(o.Total, -1) || math.IsNaN(o.Total) {
		return math.Inf(1)
	}
	sum := -o.Total
	for k, r := range o.Responsibilities {
		if r > 0 {
			sum += float64(r * (o.conditionals[k].Entropy() - o.overlap(k)))
		}
	}
	return sum
}

// leastShare is the responsibility below which a component is ignored.
const leastShare = 1e-9

// overlap returns ln Σ_l r_l exp(−KL(k,l)) for the distributions of the missing cells.
func (o *Observer) overlap(k int) float64 {
	if len(o.Missing) == 0 || o.Responsibilities[k] > 1-leastShare {
		return 0
	}
	covariance, n, sum := o.conditionals[k].Covariance(), len(o.Missing), 0.0
	for l, r := range o.Responsibilities {
		if l == k {
			sum += r
		}
		if l == k || r < leastShare {
			continue
		}
		precision, trace := o.precisions[l], 0.0
		for a, i := range o.Missing {
			row := precision[i*o.dim():]
			for b, j := range o.Missing {
				d := float64((o.value(k, i) - o.value(l, i)) * (o.value(k, j) - o.value(l, j)))
				trace += float64(row[j] * (covariance[a*n+b] + d))
			}
		}
		divergence := 0.5 * (trace - float64(n) + o.conditionals[k].LogDet - o.conditionals[l].LogDet)
		sum += float64(r * mixture.Exp(-math.Max(0, divergence)))
	}
	return portable.Log(sum)
}

// Expected returns minus the row's log density, averaged over the components by responsibility
// as in scoreOf, with expected values for the missing cells.
func (o *Observer) Expected() (sum float64) {
	for k, r := range o.Responsibilities {
		if r > 0 {
			sum += float64(r * (o.conditionals[k].Entropy() - o.LogDensities[k]))
		}
	}
	if math.IsNaN(sum) || math.IsInf(o.Total, -1) {
		return math.Inf(1)
	}
	return sum
}

// Complete sets the missing cells of a row to their conditional means.
func (o *Observer) Complete(x []float64) {
	o.Take(x)
	for _, i := range o.Missing {
		x[i] = 0
		for k, r := range o.Responsibilities {
			x[i] += float64(r * o.value(k, i))
		}
	}
}

// add adds the row to the moments about the origin. Missing cells contribute their conditional
// means and covariances, which are kept within limits (one per column) unless limits is nil.
func (o *Observer) add(to *passes.Partial, limits []float64) {
	s, dim := to.Moments, o.dim()
	s.LogLik += o.Total
	for k, r := range o.Responsibilities {
		plogp := 0.0
		if r > 0 {
			plogp = float64(r * portable.Log(r))
		}
		to.Responsible(k, r, plogp, o.LogDensities[k])
		if r == 0 {
			continue
		}
		to.Cells += float64(r * o.conditionals[k].Entropy())
		x := o.spare
		for i := range x {
			x[i] = o.value(k, i)
		}
		n, covariance := len(o.Missing), o.conditionals[k].Covariance()
		for a, i := range o.Missing {
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
		for a, i := range o.Missing {
			for b := a; b < n; b++ {
				second[i*dim+o.Missing[b]] += float64(r * covariance[a*n+b])
			}
		}
	}
}

// PartialStatistics computes the expected moments about the origin of rows with missing cells,
// with the responsibilities of [Density.Statistics]. Unless limits is nil, limits[i] bounds the
// size of the value put in place of a missing cell of column i, and its standard deviation.
func (d Density) PartialStatistics(r *passes.Reader, tilts, limits []float64) (*passes.Partial, error) {
	parts, err := expected.Over(r.Rows, expectation{d, tilts, limits})
	if err != nil {
		return nil, err
	}
	for _, part := range parts[1:] {
		parts[0].Merge(part)
	}
	return parts[0], nil
}

// An expectation has the arguments of [Density.PartialStatistics].
type expectation struct {
	Density       Density
	Tilts, Limits []float64
}

// expected computes the partial statistics of a lane.
var expected = lanes.NewJob("expected moments", func(l *lanes.Lane, of expectation) (*passes.Partial, error) {
	o, sums := of.Density.Observer(of.Tilts), passes.NewPartial(len(of.Density.weights), l.Dim)
	return sums, l.Each(func(row []float64) {
		o.Take(row)
		o.add(sums, of.Limits)
	})
})

// EachPartial calls f for each row j of a block that has missing cells, with an observer that has
// taken it.
func (d Density) EachPartial(s *passes.Space, f func(j int, o *Observer)) {
	var o *Observer
	for j := range s.LogSums() {
		if row := s.Row(j, d.dim()); partial.Any(row) {
			if o == nil {
				o = d.Observer(nil)
			}
			o.Take(row)
			f(j, o)
		}
	}
}

// LogSum returns ln Σ exp(x_i), or −Inf if x is empty or a value is not a number.
func LogSum(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = math.Max(top, v)
	}
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return math.Inf(-1)
	}
	sum := 0.0
	for _, v := range x {
		sum += mixture.Exp(v - top)
	}
	return top + portable.Log(sum)
}
