package passes

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/collabdict/collabdict/internal/kernels/mixture"
	"github.com/collabdict/collabdict/internal/privacy"
)

// Moments holds the sums over rows that an EM step needs, about a centre c_k. Moments of
// disjoint sets of rows add up.
type Moments struct {
	K, Dim int
	Full   bool
	LogLik float64 // Σ_n ln Σ_k π_k N(x_n|k)
	// Entropy is −Σ_n Σ_k r_k(n) ln r_k(n), if measured.
	Entropy float64
	// Shares holds how the rows share in each component, if measured.
	Shares []privacy.Shares
	N      []float64 // K, Σ_n r_k(n)
	First  []float64 // K by M, Σ_n r_k(n)(x_n − c_k)
	// Second is K by M by M if full, the upper triangle of Σ_n r_k(n)(x_n − c_k)(x_n − c_k)ᵀ,
	// else K by M, its diagonal.
	Second []float64
}

// NewMoments returns the moments of no rows.
func NewMoments(k, dim int, full bool) *Moments {
	s := &Moments{K: k, Dim: dim, Full: full, N: make([]float64, k), First: make([]float64, k*dim)}
	s.Second = make([]float64, k*s.Stride())
	return s
}

// Stride returns the number of values of Second for one component.
func (s *Moments) Stride() int {
	if s.Full {
		return s.Dim * s.Dim
	}
	return s.Dim
}

// Merge adds the moments of other rows.
func (s *Moments) Merge(o *Moments) {
	s.LogLik += o.LogLik
	s.Entropy += o.Entropy
	floats.Add(s.N, o.N)
	floats.Add(s.First, o.First)
	floats.Add(s.Second, o.Second)
}

// Joined returns the moments of groups of components, each as one component. The centres of a group
// are the same.
func (s *Moments) Joined(groups [][]int) *Moments {
	out := NewMoments(len(groups), s.Dim, s.Full)
	out.N = Join(s.N, groups)
	for i, group := range groups {
		for _, k := range group {
			floats.Add(out.First[i*s.Dim:(i+1)*s.Dim], s.First[k*s.Dim:(k+1)*s.Dim])
			floats.Add(out.Second[i*s.Stride():(i+1)*s.Stride()], s.Second[k*s.Stride():(k+1)*s.Stride()])
		}
	}
	return out
}

// Join returns the sum of x over each group of its indices; nil for nil.
func Join(x []float64, groups [][]int) (out []float64) {
	if x == nil {
		return nil
	}
	for _, group := range groups {
		sum := 0.0
		for _, k := range group {
			sum += x[k]
		}
		out = append(out, sum)
	}
	return out
}

// Set copies x to s.
func (s *Moments) Set(x *mixture.Sums) {
	s.LogLik = x.LogLik()
	for k := range s.K {
		s.N[k] = x.N(k)
		x.First(k, s.First[k*s.Dim:(k+1)*s.Dim])
		x.Second(k, s.Second[k*s.Stride():(k+1)*s.Stride()])
	}
}

// entropies hold what tells how rows share in each component: the entropies of the densities, Σ_n r_k(n),
// Σ_n r_k(n) ln r_k(n), and the largest r_k(n).
type entropies struct {
	Densities     []privacy.Entropy
	N, PLogP, Top []float64
}

func newEntropies(k int) entropies {
	return entropies{make([]privacy.Entropy, k), make([]float64, k), make([]float64, k), make([]float64, k)}
}

func (e *entropies) reset() {
	clear(e.Densities)
	clear(e.N)
	clear(e.PLogP)
	clear(e.Top)
}

// add adds rows in component k, all but their number.
func (e *entropies) add(k int, densities privacy.Entropy, plogp, top float64) {
	e.Densities[k].Merge(densities)
	e.PLogP[k] += plogp
	e.Top[k] = max(e.Top[k], top)
}

// addRow adds a row with responsibility r in component k, without its density.
func (e *entropies) addRow(k int, r float64) {
	if r > 0 {
		e.N[k] += r
		e.PLogP[k] += float64(r * math.Log(r))
		e.Top[k] = max(e.Top[k], r)
	}
}

// EStep computes the moments of the rows about the centres (K by M, or nil for the origin). If
// measure is set, it also computes the diversity of their weights. It adds the moments in
// others, which are about the origin, unless nil. The result is valid until the next pass over
// the rows.
func (p *Pass) EStep(centres []float64, measure bool, others *Partial) (*Moments, privacy.Diversity, error) {
	parts, err := weigh.Over(p.Rows, weighting{Model: p.Model, Group: p.Model.Components(), Centres: centres, Entropies: measure, memory: p})
	if err != nil {
		return nil, privacy.Diversity{}, err
	}
	total := parts[0]
	for _, part := range parts[1:] {
		total.Sums.Merge(part.Sums)
		total.Entropies.merge(&part.Entropies)
	}
	if p.moments == nil {
		p.moments = NewMoments(p.Model.Components(), p.Dim, p.Model.Full())
	}
	p.moments.Set(total.Sums)
	if others != nil {
		p.moments.Merge(others.Moments)
		total.Entropies.merge(&others.Entropies)
	}
	if !measure {
		return p.moments, privacy.Diversity{}, nil
	}
	return p.moments, total.Entropies.diversity(p.moments), nil
}

// largest returns the largest of some values of at least 0.
func largest(r []float64) (top float64) {
	for _, v := range r {
		if v > top { // faster than max, which checks for NaN
			top = v
		}
	}
	return top
}

func (e *entropies) merge(o *entropies) {
	for k, n := range o.N {
		e.N[k] += n
		e.add(k, o.Densities[k], o.PLogP[k], o.Top[k])
	}
}

// shares returns how the rows share in each component.
func (e *entropies) shares() []privacy.Shares {
	out := make([]privacy.Shares, len(e.N))
	for k, n := range e.N {
		out[k] = privacy.SharesOf(n, e.PLogP[k], e.Top[k])
	}
	return out
}

// diversity returns the diversity of the rows in m, and sets m's Entropy and Shares.
func (e *entropies) diversity(m *Moments) privacy.Diversity {
	r := make([]privacy.Entropy, len(e.N))
	m.Entropy = 0
	copy(e.N, m.N)
	m.Shares = e.shares()
	for k, n := range m.N {
		m.Entropy -= e.PLogP[k]
		r[k] = privacy.EntropyOf(0, n, e.PLogP[k])
	}
	return privacy.Measure(e.Densities, r)
}

// Sum adds up x in its order. The order of gonum's Sum differs between builds.
func Sum(x []float64) (total float64) {
	for _, v := range x {
		total += v
	}
	return total
}

// PackedLen returns the length of a packed vector.
func PackedLen(k, dim int, full bool) int {
	if full {
		return k * (1 + dim + dim*(dim+1)/2)
	}
	return k * (1 + 2*dim)
}

// Pack returns the moments, without the log-likelihood, as one vector:
//
//   - all N_k;
//   - per variable, the first moments of all components;
//   - per pair of variables i ≤ j (or per variable, if not full), the second moments of all
//     components.
//
// Values of one kind are adjacent because they share a bound.
func (s *Moments) Pack() []float64 {
	return s.AppendTo(make([]float64, 0, PackedLen(s.K, s.Dim, s.Full)+1))
}

// AppendTo appends the packed moments to a vector.
func (s *Moments) AppendTo(x []float64) []float64 {
	s.walk(func(v *float64) { x = append(x, *v) })
	return x
}

// Unpack is the inverse of Pack.
func Unpack(v []float64, k, dim int, full bool) *Moments {
	s := NewMoments(k, dim, full)
	i := 0
	s.walk(func(to *float64) { *to = v[i]; i++ })
	return s
}

// walk calls f for every value in the order of Pack.
func (s *Moments) walk(f func(*float64)) {
	for k := range s.N {
		f(&s.N[k])
	}
	for i := range s.Dim {
		for k := range s.K {
			f(&s.First[k*s.Dim+i])
		}
	}
	for i := range s.Dim {
		if !s.Full {
			for k := range s.K {
				f(&s.Second[k*s.Dim+i])
			}
			continue
		}
		for j := i; j < s.Dim; j++ {
			for k := range s.K {
				f(&s.Second[k*s.Dim*s.Dim+i*s.Dim+j])
			}
		}
	}
}
