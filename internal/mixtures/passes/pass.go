package passes

import (
	"sync"

	"github.com/collabdict/collabdict/internal/kernels/mixture"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// Pass holds the memory for passes of a mixture over rows. Later passes reuse it and allocate
// nothing.
type Pass struct {
	*Reader
	Model *mixture.Model
	load  func(w *mixture.Workspace, from int, x []float64)
	errs  []error // per lane
	mu    sync.Mutex
	idle  []*Space
	each  func(lane, from int, s *Space)
	lane  func(lane int) // p.overLane

	eStep
}

// Space is the memory of one goroutine.
type Space struct {
	*mixture.Workspace
	block []float64 // of rows
	Out   []float64 // one value per row
}

// PassOf returns a pass of a mixture of k components over the rows. It reuses the last pass if
// that had this shape. The caller must set its model.
func (r *Reader) PassOf(k int, full bool) *Pass {
	if r.pass == nil || !r.pass.Model.Is(k, full) {
		r.pass = NewPass(r, mixture.NewModel(k, r.Dim, full))
	}
	return r.pass
}

// NewPass returns a pass of a model over the rows of r.
func NewPass(r *Reader, model *mixture.Model) *Pass {
	p := &Pass{Reader: r, Model: model, errs: make([]error, len(r.lanes))}
	p.load = func(w *mixture.Workspace, _ int, x []float64) { w.Load(model, x) }
	p.lane = p.overLane
	return p
}

// Row returns row j of the block, with dim values.
func (s *Space) Row(j, dim int) []float64 { return s.block[j*dim : (j+1)*dim] }

// Run calls f for every block of rows with the mixture's results for it; from is the index of
// the block's first row. It returns the error of the lowest lane whose rows could not be read.
func (p *Pass) Run(f func(lane, from int, s *Space)) error {
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

func (p *Pass) overLane(lane int) {
	s := p.take()
	defer p.put(s)
	first, last := parallel.BlocksOf(lane, p.N)
	for b := first; b < last; b++ {
		from := b * parallel.BlockRows
		x := s.block[:(min(p.N, from+parallel.BlockRows)-from)*p.Dim]
		if p.errs[lane] = p.Rows.ReadRows(x, from); p.errs[lane] != nil {
			return
		}
		p.load(s.Workspace, from, x)
		p.each(lane, from, s)
	}
}

func (p *Pass) take() *Space {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		s := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return s
	}
	rows := min(p.N, parallel.BlockRows)
	return &Space{p.Model.NewWorkspace(rows), make([]float64, rows*p.Dim), make([]float64, rows)}
}

func (p *Pass) put(s *Space) {
	p.mu.Lock()
	p.idle = append(p.idle, s)
	p.mu.Unlock()
}
