package gmm

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/collabdict/collabdict/internal/parallel"
)

const (
	// blockRows rows are worked on at a time: a block of them stays in the cache.
	blockRows = 256
	// maxLanes pieces of consecutive blocks run in parallel. The number does not
	// depend on the machine: it fixes the order of every sum.
	maxLanes = 16
	// negligible is the log of responsibilities that are taken as 0, so that no
	// product with one is a denormal number.
	negligible = -600
)

// lanes returns in how many pieces n rows are worked on.
func lanes(n int) int { return min(maxLanes, (n+blockRows-1)/blockRows) }

// sweep calls f for every block [lo, hi) of n rows. Blocks of one lane come in
// order, one after the other.
func sweep(n int, f func(lane, lo, hi int)) {
	count, blocks := lanes(n), (n+blockRows-1)/blockRows
	parallel.For(count, func(lane int) {
		for b := lane * blocks / count; b < (lane+1)*blocks/count; b++ {
			f(lane, b*blockRows, min(n, (b+1)*blockRows))
		}
	})
}

// scratch is what one lane needs to compute densities. All fields hold one block,
// a row per variable or component and a column per sample, so that the inner
// loops run over samples.
type scratch struct {
	n    int
	x    []float64 // M by n, the block transposed
	d    []float64 // M by n, x − μ_k
	y    []float64 // M by n, U(x − μ_k)
	logd []float64 // K by n, ln N(x|k)
	logr []float64 // K by n, ln r_k(x)
	r    []float64 // K by n, r_k(x)
	lse  []float64 // n, ln Σ_k π_k N(x|k)
}

// scratchFor returns the lane's scratch with room for blocks of n rows.
func (l *lane) scratchFor(m *Mixture, n int) *scratch {
	k, dim := m.Components(), m.Dim()
	if s := l.scratch; s != nil && len(s.x) >= dim*n && len(s.r) >= k*n {
		return s
	}
	l.scratch = &scratch{
		x: make([]float64, dim*n), d: make([]float64, dim*n), y: make([]float64, dim*n),
		logd: make([]float64, k*n), logr: make([]float64, k*n), r: make([]float64, k*n),
		lse: make([]float64, n),
	}
	return l.scratch
}

// posterior computes all of s for a block of rows.
func (m *Mixture) posterior(s *scratch, x []float64) {
	s.load(x, m.Dim())
	for k := range m.parts {
		m.logDensity(s, k, s.logd[k*s.n:(k+1)*s.n])
	}
	s.normalise(m.weights)
}

func (s *scratch) load(x []float64, dim int) {
	s.n = len(x) / dim
	for j := range s.n {
		for i, v := range x[j*dim : (j+1)*dim] {
			s.x[i*s.n+j] = v
		}
	}
}

// logDensity sets out to ln N(x|k) of the block's rows.
func (m *Mixture) logDensity(s *scratch, k int, out []float64) {
	n, p := s.n, m.parts[k]
	s.centre(m.means.RawRowView(k))
	clear(out)
	if p.root == nil {
		for i, precision := range p.diagonal {
			addSquares(precision, s.d[i*n:(i+1)*n], out)
		}
	} else {
		dim := len(p.diagonal)
		general := func(rows, cols int, v []float64) blas64.General {
			return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: v}
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, general(dim, dim, p.root), general(dim, n, s.d), 0, general(dim, n, s.y))
		for i := range dim {
			addSquares(1, s.y[i*n:(i+1)*n], out)
		}
	}
	for j, quadratic := range out {
		out[j] = p.logNorm - 0.5*quadratic
	}
}

// centre sets d to x − mean.
func (s *scratch) centre(mean []float64) {
	n := s.n
	for i, mu := range mean {
		x, d := s.x[i*n:(i+1)*n], s.d[i*n:(i+1)*n]
		for j, v := range x {
			d[j] = v - mu
		}
	}
}

func addSquares(a float64, x, sum []float64) {
	sum = sum[:len(x)]
	for j, v := range x {
		sum[j] += float64(a * float64(v*v))
	}
}

// normalise fills lse, logr and r from logd: Eq. (12) of Idé et al. 2024 with
// μ_k for its m_k.
func (s *scratch) normalise(weights []float64) {
	n := s.n
	top := s.lse[:n]
	for j := range top {
		top[j] = math.Inf(-1)
	}
	for k, w := range weights {
		logw := math.Log(w)
		for j, v := range s.logd[k*n : (k+1)*n] {
			s.logr[k*n+j] = v + logw
			top[j] = math.Max(top[j], v+logw)
		}
	}
	sum := s.y[:n]
	clear(sum)
	for k := range weights {
		floats.Sub(s.logr[k*n:(k+1)*n], top)
		for j, v := range s.logr[k*n : (k+1)*n] {
			e := 0.0
			if v > negligible {
				e = math.Exp(v)
			}
			s.r[k*n+j] = e
			sum[j] += e
		}
	}
	for j, v := range sum {
		logSum := math.Log(v)
		s.lse[j] = top[j] + logSum
		for k := range weights {
			s.r[k*n+j] /= v
			s.logr[k*n+j] -= logSum
		}
	}
}
