package gmm

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm/privacy"
	"github.com/collabdict/collabdict/internal/kernels/mixture"
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

// set makes s those of x.
func (s *moments) set(x *mixture.Sums) {
	s.logLik = x.LogLik()
	for k := range s.k {
		s.n[k] = x.N(k)
		x.First(k, s.first[k*s.dim:(k+1)*s.dim])
		x.Second(k, s.second[k*s.stride():(k+1)*s.stride()])
	}
}

// eStep is what an E-step makes of rows: of those of each lane, and then of all.
type eStep struct {
	centres   []float64 // K by M; nil is the origin
	measure   bool
	sums      []*mixture.Sums
	entropies []entropies
	moments   *moments
	add       func(lane, from int, s *space)
}

// entropies are a participant's, for the l-diversity of its statistics: of the
// densities, and Σ_n r_k(n) ln r_k(n).
type entropies struct {
	g     []privacy.Entropy
	plogp []float64
}

// eStep computes the moments of the rows about the centres (nil is the origin)
// and, if measure is set, the diversity of their weights. The moments hold until
// the next pass over r.
func (m *Mixture) eStep(r *reader, centres *mat.Dense, measure bool) (*moments, privacy.Diversity, error) {
	p := m.passOver(r)
	p.prepare(m)
	p.centres, p.measure = nil, measure
	if centres != nil {
		p.centres = centres.RawMatrix().Data
	}
	if err := p.run(p.add); err != nil {
		return nil, privacy.Diversity{}, err
	}
	for l, s := range p.sums {
		if l > 0 {
			p.sums[0].Merge(s)
		}
	}
	p.moments.set(p.sums[0])
	if !measure {
		return p.moments, privacy.Diversity{}, nil
	}
	return p.moments, p.diversity(), nil
}

// prepare makes all sums those over no row.
func (p *pass) prepare(m *Mixture) {
	if p.add == nil {
		p.add = p.addBlock
		p.moments = newMoments(m.Components(), m.Dim(), m.form == Full)
		for range p.lanes {
			p.sums = append(p.sums, p.model.NewSums())
			p.entropies = append(p.entropies, entropies{make([]privacy.Entropy, p.moments.k), make([]float64, p.moments.k)})
		}
	}
	for l, s := range p.sums {
		s.Reset()
		clear(p.entropies[l].g)
		clear(p.entropies[l].plogp)
	}
}

// addBlock adds a block of rows to the sums of a lane.
func (p *pass) addBlock(lane, _ int, s *space) {
	p.sums[lane].Add(s.Workspace, p.centres)
	e := &p.entropies[lane]
	for k := 0; k < len(e.g) && p.measure; k++ {
		top, sum, mean, plogp := s.Entropies(p.model, k)
		e.g[k].Merge(privacy.EntropyOf(top, sum, mean))
		e.plogp[k] += plogp
	}
}

func (p *pass) diversity() privacy.Diversity {
	total := &p.entropies[0]
	for _, e := range p.entropies[1:] {
		for k := range e.g {
			total.g[k].Merge(e.g[k])
			total.plogp[k] += e.plogp[k]
		}
	}
	r := make([]privacy.Entropy, len(total.g))
	for k, n := range p.moments.n {
		r[k] = privacy.EntropyOf(0, n, total.plogp[k])
	}
	return privacy.Measure(total.g, r)
}

// sum adds x up in its order. That of gonum's Sum is another with each build of it.
func sum(x []float64) (total float64) {
	for _, v := range x {
		total += v
	}
	return total
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
