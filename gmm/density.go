package gmm

import (
	"math"
	"sync"

	"github.com/collabdict/collabdict/internal/kernels/mixture"
	"github.com/collabdict/collabdict/internal/parallel"
)

const (
	// blockRows rows are worked on at a time: a block of them stays in the cache.
	blockRows = 256
	// maxLanes pieces of consecutive blocks run in parallel. The number does not
	// depend on the machine: it fixes the order of every sum.
	maxLanes = 32
)

// lanes returns in how many pieces n rows are worked on.
func lanes(n int) int { return min(maxLanes, (n+blockRows-1)/blockRows) }

// sweep calls f for every block [lo, hi) of n rows. Blocks of one lane come in
// order, one after the other.
func sweep(n int, f func(lane, lo, hi int)) {
	parallel.For(lanes(n), func(lane int) {
		first, last := blocksOf(lane, n)
		for b := first; b < last; b++ {
			f(lane, b*blockRows, min(n, (b+1)*blockRows))
		}
	})
}

// blocksOf returns the blocks of a lane, the first and the one after the last.
func blocksOf(lane, n int) (first, last int) {
	count, blocks := lanes(n), (n+blockRows-1)/blockRows
	return lane * blocks / count, (lane + 1) * blocks / count
}

// pass is what passes of a mixture over rows work with. The next one uses it again,
// and allocates nothing.
type pass struct {
	*reader
	model *mixture.Model
	load  func(w *mixture.Workspace, from int, x []float64)
	errs  []error // a lane
	mu    sync.Mutex
	idle  []*space
	each  func(lane, from int, s *space)
	lane  func(lane int) // p.overLane

	eStep
}

// space is what one goroutine works with.
type space struct {
	*mixture.Workspace
	block []float64 // of rows
	out   []float64 // a value a row
}

// passOver returns a pass of m over the rows of r: the last one's, if it was of
// a mixture of that shape.
func (m *Mixture) passOver(r *reader) *pass {
	if r.dim != m.Dim() {
		panic(errShape)
	}
	k, full := m.Components(), m.form == Full
	if p := r.pass; p == nil || !p.model.Is(k, full) {
		r.pass = newPass(r, mixture.NewModel(k, r.dim, full))
	}
	for i, part := range m.parts {
		precision := part.diagonal
		if full {
			precision = part.root
		}
		r.pass.model.Set(i, m.weights[i], m.means.RawRowView(i), precision, part.logNorm)
	}
	return r.pass
}

func newPass(r *reader, model *mixture.Model) *pass {
	p := &pass{reader: r, model: model, errs: make([]error, len(r.lanes))}
	p.load = func(w *mixture.Workspace, _ int, x []float64) { w.Load(model, x) }
	p.lane = p.overLane
	return p
}

// run calls f for every block of rows, from being the place of the first one, with
// what the mixture says of it, and returns the error of the lowest lane that could
// not read its rows.
func (p *pass) run(f func(lane, from int, s *space)) error {
	clear(p.errs)
	p.each = f
	parallel.For(len(p.lanes), p.lane)
	for _, err := range p.errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *pass) overLane(lane int) {
	s := p.take()
	defer p.put(s)
	first, last := blocksOf(lane, p.n)
	for b := first; b < last; b++ {
		from := b * blockRows
		x := s.block[:(min(p.n, from+blockRows)-from)*p.dim]
		if p.errs[lane] = p.rows.ReadRows(x, from); p.errs[lane] != nil {
			return
		}
		p.load(s.Workspace, from, x)
		p.each(lane, from, s)
	}
}

func (p *pass) take() *space {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		s := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return s
	}
	rows := min(p.n, blockRows)
	return &space{p.model.NewWorkspace(rows), make([]float64, rows*p.dim), make([]float64, rows)}
}

func (p *pass) put(s *space) {
	p.mu.Lock()
	p.idle = append(p.idle, s)
	p.mu.Unlock()
}

// blocks calls f with what m says of every block of rows, from being the place of
// the first one. Rows in memory give no error.
func (m *Mixture) blocks(r *reader, f func(lane, from int, s *space)) error {
	return m.passOver(r).run(f)
}

// score sets the values of s to the scores of its rows.
func (s *space) score() []float64 {
	sums := s.LogSums()
	out := s.out[:len(sums)]
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
	return out
}
