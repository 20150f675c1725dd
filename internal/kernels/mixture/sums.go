package mixture

// Sums holds the weighted sums over rows that an EM step needs, about one centre per component.
// They are additive over sets of rows.
type Sums struct {
	k, m   int
	full   bool
	logLik float64
	// Per component, with d = (x−centre, 1): if full, Σ r·d·dᵀ, the upper triangle of M+1 rows;
	// otherwise Σ r·d and Σ r·d².
	sums []float64
}

// NewSums returns the sums over no rows, for the model's components.
func (x *Model) NewSums() *Sums { return newSums(x.k, x.m, x.full) }

func newSums(k, m int, full bool) *Sums {
	s := &Sums{k: k, m: m, full: full}
	s.sums = make([]float64, k*s.size())
	return s
}

// row returns the number of elements from one row of sums to the next.
func (s *Sums) row() int { return s.m + 1 + beyond }

func (s *Sums) size() int {
	if s.full {
		return (s.m + 1) * s.row()
	}
	return 2 * s.row()
}

// Reset makes s the sums over no rows.
func (s *Sums) Reset() {
	s.logLik = 0
	clear(s.sums)
}

// Add adds the block in w about the centres, K by M; nil means the origin.
func (s *Sums) Add(w *Workspace, centres []float64) {
	panels, stride := w.paddedRows()/lanes, w.stride()
	clear(w.centre)
	for k := range s.k {
		r, sums := w.r[k*w.rows:(k+1)*w.rows], s.sums[k*s.size():(k+1)*s.size()]
		if centres != nil {
			copy(w.centre, centres[k*s.m:(k+1)*s.m])
		}
		switch {
		case !s.full:
			active.spread(panels, s.m+1, w.x, stride, w.centre, r, sums, sums[s.row():])
		case centres == nil:
			active.scatter(panels, s.m+1, w.x, stride, r, w.weighted, sums, s.row())
		default:
			active.centre(panels, s.m+1, w.x, stride, w.centre, w.d)
			active.scatter(panels, s.m+1, w.d, stride, r, w.weighted, sums, s.row())
		}
	}
	s.logLik += total(w.LogSums())
}

// total adds x in four chains.
func total(x []float64) float64 {
	var s [4]float64
	for ; len(x) >= 4; x = x[4:] {
		for i := range s {
			s[i] += x[i]
		}
	}
	for i, v := range x {
		s[i] += v
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

// Merge adds the sums o over other rows to s.
func (s *Sums) Merge(o *Sums) {
	s.logLik += o.logLik
	for i, v := range o.sums {
		s.sums[i] += v
	}
}

// LogLik returns Σ ln Σ_k π_k N(x|k), in nats.
func (s *Sums) LogLik() float64 { return s.logLik }

// N returns Σ r for component k.
func (s *Sums) N(k int) float64 {
	if s.full {
		return s.sums[k*s.size()+s.m*s.row()+s.m]
	}
	return s.sums[k*s.size()+s.m]
}

// First writes Σ r·d for component k, M values, into to.
func (s *Sums) First(k int, to []float64) {
	sums := s.sums[k*s.size():]
	for i := range to {
		if s.full {
			to[i] = sums[i*s.row()+s.m]
		} else {
			to[i] = sums[i]
		}
	}
}

// Second writes Σ r·d·dᵀ for component k to the upper triangle of to, M by M. If s is not full,
// it writes the M values of the diagonal.
func (s *Sums) Second(k int, to []float64) {
	sums := s.sums[k*s.size():]
	if !s.full {
		copy(to, sums[s.row():][:s.m])
		return
	}
	for i := range s.m {
		copy(to[i*s.m+i:(i+1)*s.m], sums[i*s.row()+i:])
	}
}
