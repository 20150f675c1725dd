package gmm

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm/privacy"
)

// moments are the sums over rows that an EM step needs, about a centre c_k.
// They are additive over sets of rows.
type moments struct {
	k, dim int
	full   bool
	logLik float64   // Σ_n ln Σ_k π_k N(x_n|k)
	n      []float64 // K, Σ_n r_k(n)
	first  []float64 // K by M, Σ_n r_k(n)(x_n − c_k)
	// second is K by M by M if full, the upper triangle of
	// Σ_n r_k(n)(x_n − c_k)(x_n − c_k)ᵀ, else K by M, its diagonal.
	second []float64
}

func newMoments(k, dim int, full bool) *moments {
	s := &moments{k: k, dim: dim, full: full, n: make([]float64, k), first: make([]float64, k*dim)}
	s.second = make([]float64, k*s.stride())
	return s
}

// stride is the number of values of second that belong to one component.
func (s *moments) stride() int {
	if s.full {
		return s.dim * s.dim
	}
	return s.dim
}

func (s *moments) merge(o *moments) {
	s.logLik += o.logLik
	floats.Add(s.n, o.n)
	floats.Add(s.first, o.first)
	floats.Add(s.second, o.second)
}

// add adds the block in sc, weighted by its responsibilities for component k,
// about a centre (nil is the origin).
func (s *moments) add(sc *scratch, k int, centre []float64) {
	n, r := sc.n, sc.r[k*sc.n:(k+1)*sc.n]
	total := floats.Sum(r)
	if total == 0 {
		return
	}
	s.n[k] += total
	d := sc.x
	if centre != nil {
		sc.centre(centre)
		d = sc.d
	}
	for i := range s.dim {
		s.first[k*s.dim+i] += floats.Dot(r, d[i*n:(i+1)*n])
	}
	second := s.second[k*s.stride() : (k+1)*s.stride()]
	if !s.full {
		for i := range s.dim {
			floats.MulTo(sc.y[:n], d[i*n:(i+1)*n], r)
			second[i] += floats.Dot(sc.y[:n], d[i*n:(i+1)*n])
		}
		return
	}
	for j, v := range r {
		r[j] = math.Sqrt(v)
	}
	for i := range s.dim {
		floats.MulTo(sc.y[i*n:(i+1)*n], d[i*n:(i+1)*n], r)
	}
	blas64.Syrk(blas.NoTrans, 1, blas64.General{Rows: s.dim, Cols: n, Stride: n, Data: sc.y}, 1,
		blas64.Symmetric{N: s.dim, Stride: s.dim, Data: second, Uplo: blas.Upper})
}

// entropies are a participant's, for the l-diversity of its statistics.
type entropies struct{ g, r []privacy.Entropy }

func (e *entropies) add(sc *scratch) {
	for k := range e.g {
		e.g[k].Add(sc.logd[k*sc.n : (k+1)*sc.n])
		e.r[k].Add(sc.logr[k*sc.n : (k+1)*sc.n])
	}
}

func (e *entropies) merge(o *entropies) {
	for k := range e.g {
		e.g[k].Merge(o.g[k])
		e.r[k].Merge(o.r[k])
	}
}

// sums are what an E-step makes of rows.
type sums struct {
	moments
	entropies
}

func (m *Mixture) newSums() *sums {
	k := m.Components()
	return &sums{*newMoments(k, m.Dim(), m.form == Full), entropies{make([]privacy.Entropy, k), make([]privacy.Entropy, k)}}
}

// addBlock adds a block of rows: their moments about the centres (nil is the origin)
// and, if measure is set, the entropies of their weights.
func (s *sums) addBlock(m *Mixture, sc *scratch, x []float64, centres *mat.Dense, measure bool) {
	m.posterior(sc, x)
	if measure {
		s.entropies.add(sc)
	}
	s.logLik += floats.Sum(sc.lse[:sc.n])
	for k := range s.k {
		var centre []float64
		if centres != nil {
			centre = centres.RawRowView(k)
		}
		s.moments.add(sc, k, centre)
	}
}

// eStep computes the moments of the rows about the centres (nil is the origin)
// and, if measure is set, the diversity of their weights.
func (m *Mixture) eStep(r *reader, centres *mat.Dense, measure bool) (*moments, privacy.Diversity, error) {
	lane := make([]*sums, len(r.lanes))
	err := r.sweep(func(l, _ int, x []float64) {
		if lane[l] == nil {
			lane[l] = m.newSums()
		}
		lane[l].addBlock(m, r.lanes[l].scratchFor(m, min(r.n, blockRows)), x, centres, measure)
	})
	if err != nil {
		return nil, privacy.Diversity{}, err
	}
	total := m.newSums()
	for _, s := range lane {
		total.moments.merge(&s.moments)
		total.entropies.merge(&s.entropies)
	}
	if !measure {
		return &total.moments, privacy.Diversity{}, nil
	}
	return &total.moments, privacy.Measure(total.g, total.r), nil
}

// packedLen is the length of a packed vector.
func packedLen(k, dim int, full bool) int {
	if full {
		return k * (1 + dim + dim*(dim+1)/2)
	}
	return k * (1 + 2*dim)
}

// pack returns the moments as one vector: all N_k; then per variable the first
// moments of all components; then per pair of variables i ≤ j (or per variable,
// if not full) the second moments of all components. Values of one kind stand
// together because they share a bound. The log-likelihood is not in it.
func (s *moments) pack() []float64 {
	out := make([]float64, 0, packedLen(s.k, s.dim, s.full)+1)
	s.walk(func(v *float64) { out = append(out, *v) })
	return out
}

// unpack is the inverse of pack.
func unpack(v []float64, k, dim int, full bool) *moments {
	s := newMoments(k, dim, full)
	i := 0
	s.walk(func(to *float64) { *to = v[i]; i++ })
	return s
}

// walk visits every value in the order of pack.
func (s *moments) walk(f func(*float64)) {
	for k := range s.n {
		f(&s.n[k])
	}
	for i := range s.dim {
		for k := range s.k {
			f(&s.first[k*s.dim+i])
		}
	}
	for i := range s.dim {
		if !s.full {
			for k := range s.k {
				f(&s.second[k*s.dim+i])
			}
			continue
		}
		for j := i; j < s.dim; j++ {
			for k := range s.k {
				f(&s.second[k*s.dim*s.dim+i*s.dim+j])
			}
		}
	}
}
