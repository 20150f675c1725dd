// Package density evaluates Gaussian mixtures at rows: log densities, responsibilities and scores,
// the moments of an E-step, and all of these for rows with missing cells. [Density] makes passes
// over rows, and [Observer] evaluates one row with missing cells.
package density

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
)

// A Mixture has K components of M variables. gmm.Mixture implements it.
type Mixture interface {
	Weights() []float64
	Means() *mat.Dense
	// Root returns U with Λ_k = UᵀU, or nil if the covariance matrices are diagonal.
	Root(k int) *mat.TriDense
	// Diagonal returns the diagonal of Λ_k.
	Diagonal(k int) []float64
	// LogNorm returns ½ ln|Λ_k| − M/2 ln 2π.
	LogNorm(k int) float64
	Precision(k int) *mat.SymDense
}

// A Part is the precision Λ of a component, in the form that its density needs.
type Part struct {
	Root     []float64 // U with Λ = UᵀU, upper, row-major M by M; nil for a diagonal Λ
	Diagonal []float64 // the diagonal of Λ, M values, needed if Root is nil
	LogNorm  float64   // ½ ln|Λ| − M/2 ln 2π
}

// A Density is a mixture in the form in which it is evaluated.
type Density struct {
	weights []float64
	means   *mat.Dense // K by M
	parts   []Part
	mixture interface{ Precision(k int) *mat.SymDense } // for rows with missing cells
}

// New returns the density of m, given its weights, its means and its parts, which it keeps.
func New(m Mixture, weights []float64, means *mat.Dense, parts []Part) Density {
	return Density{weights, means, parts, m}
}

// Of returns the density of m.
func Of(m Mixture) Density {
	weights := m.Weights()
	parts := make([]Part, len(weights))
	for k := range parts {
		parts[k].LogNorm = m.LogNorm(k)
		if u := m.Root(k); u != nil {
			parts[k].Root = u.RawTriangular().Data
		} else {
			parts[k].Diagonal = m.Diagonal(k)
		}
	}
	return New(m, weights, m.Means(), parts)
}

// encoded is a density on its way to another machine.
type encoded struct {
	Weights, Means []float64
	Parts          []Part
	Precisions     [][]float64 // M by M
}

// GobEncode implements gob.GobEncoder.
func (d Density) GobEncode() ([]byte, error) {
	e := encoded{Weights: d.weights, Means: mat.DenseCopyOf(d.means).RawMatrix().Data, Parts: d.parts}
	for k := range d.weights {
		e.Precisions = append(e.Precisions, mat.DenseCopyOf(d.mixture.Precision(k)).RawMatrix().Data)
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(e)
	return b.Bytes(), err
}

// GobDecode implements gob.GobDecoder.
func (d *Density) GobDecode(text []byte) error {
	var e encoded
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&e); err != nil {
		return err
	}
	k := len(e.Weights)
	if k == 0 || len(e.Means)%k != 0 || len(e.Means) == 0 || len(e.Parts) != k || len(e.Precisions) != k {
		return errors.New("density: the numbers of values do not fit each other")
	}
	dim := len(e.Means) / k
	var of precisions
	for _, p := range e.Precisions {
		if len(p) != dim*dim {
			return fmt.Errorf("density: want precisions of %d values, got %d", dim*dim, len(p))
		}
		of = append(of, mat.NewSymDense(dim, p))
	}
	*d = Density{e.Weights, mat.NewDense(k, dim, e.Means), e.Parts, of}
	return nil
}

type precisions []*mat.SymDense

func (p precisions) Precision(k int) *mat.SymDense { return p[k] }

func (d Density) dim() int { _, dim := d.means.Dims(); return dim }

func (d Density) full() bool { return d.parts[0].Root != nil }

const errShape = "density: shapes differ"

// pass returns a pass over the rows of r. If tilts is not nil, tilts[k] is added to the log density
// of component k.
func (d Density) pass(r *passes.Reader, tilts []float64) *passes.Pass {
	if r.Dim != d.dim() {
		panic(errShape)
	}
	full := d.full()
	p := r.PassOf(len(d.weights), full)
	for i, part := range d.parts {
		precision := part.Diagonal
		if full {
			precision = part.Root
		}
		logNorm := part.LogNorm
		if tilts != nil {
			logNorm += tilts[i]
		}
		p.Model.Set(i, d.weights[i], d.means.RawRowView(i), precision, logNorm)
	}
	return p
}

// Statistics computes the moments of the rows of r (nil for none) about the centres (nil means the
// origin), combined with the moments of others, which have missing cells, if these are not nil. If
// measure is set, it also computes the diversity of their weights. Responsibilities follow from
// the densities N(x|μ_k, Λ_k⁻¹)·exp(tilts_k), where nil tilts mean K zeros. The moments are
// valid until the next pass over the rows.
func (d Density) Statistics(r *passes.Reader, others *passes.Partial, centres *mat.Dense, tilts []float64, measure bool) (*passes.Moments, privacy.Diversity, error) {
	if r == nil {
		s, diversity := others.Alone()
		return s, diversity, nil
	}
	var about []float64
	if centres != nil {
		about = centres.RawMatrix().Data
	}
	return d.pass(r, tilts).EStep(about, measure, others)
}

// Blocks calls f with the densities of every block of rows; from is the index of the block's
// first row. It cannot fail for rows in memory.
func (d Density) Blocks(r *passes.Reader, f func(lane, from int, s *passes.Space)) error {
	return d.pass(r, nil).Run(f)
}

// Scores sets the values of s to the scores of its rows, Eqs. (19) and (20) of Idé et al. 2024. A
// row with missing cells gets its expected score.
func (d Density) Scores(s *passes.Space) []float64 {
	sums := s.LogSums()
	out := s.Out[:len(sums)]
	clear(out)
	for k := range s.Components() {
		logd := s.LogDensities(k)
		for j, r := range s.Responsibilities(k) {
			if r > 0 {
				out[j] -= float64(r * logd[j])
			}
		}
	}
	for j, l := range sums {
		if math.IsNaN(l) || math.IsInf(l, 0) || math.IsNaN(out[j]) {
			out[j] = math.Inf(1)
		}
	}
	d.EachPartial(s, func(j int, o *Observer) { out[j] = o.Expected() })
	return out
}

// Surprises sets the values of s to the surprises −ln p(x) of its rows. The surprise is +Inf for a
// row so far out that its density is not a number, and the expected one for a row with missing
// cells.
func (d Density) Surprises(s *passes.Space) []float64 {
	sums := s.LogSums()
	out := s.Out[:len(sums)]
	for j, l := range sums {
		if out[j] = -l; math.IsNaN(l) {
			out[j] = math.Inf(1)
		}
	}
	d.EachPartial(s, func(j int, o *Observer) { out[j] = o.Surprise() })
	return out
}
