package passes

import (
	"sync"

	"github.com/collabdict/collabdict/internal/kernels/mixture"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// Pass holds the sums of passes of a mixture over rows, which later passes reuse.
type Pass struct {
	*Reader
	Model *mixture.Model

	weighed []weighed // by lane
	moments *Moments  // of all rows
}

// Space is the memory of one goroutine.
type Space struct {
	*mixture.Workspace
	block []float64 // of rows
	Out   []float64 // one value per row
}

// idle has the spaces that no goroutine uses, as a *sync.Pool for each shape. All passes take from it:
// in a process of many participants few of them read rows at a time.
var idle sync.Map

// A shape is the components of a model, its variables, and the rows of a block.
type shape struct{ components, dim, rows int }

// PassOf returns a pass of a mixture of k components over the rows. It reuses the last pass if
// that had this shape. The caller must set its model.
func (r *Reader) PassOf(k int, full bool) *Pass {
	if r.pass == nil || !r.pass.Model.Is(k, full) {
		r.pass = NewPass(r, mixture.NewModel(k, r.Dim, full))
	}
	return r.pass
}

// lent has the passes that nobody uses, as a *sync.Pool for each kind.
var lent sync.Map

// A kind is what the memory of a pass depends on.
type kind struct {
	shape
	full  bool
	lanes int
}

// Lend returns a pass of a mixture of k components over the rows, for one use: unlike that of PassOf, no
// reader keeps its memory. The caller must set all components of its model, and return the pass.
func (r *Reader) Lend(k int, full bool) *Pass {
	pool, _ := lent.LoadOrStore(kind{shape{k, r.Dim, 0}, full, lanes.Count(r.N)}, new(sync.Pool))
	if p, is := pool.(*sync.Pool).Get().(*Pass); is {
		p.Reader = r
		return p
	}
	return NewPass(r, mixture.NewModel(k, r.Dim, full))
}

// Return ends the use of a pass from Lend, and of all results that are valid until its next use.
func (p *Pass) Return() {
	pool, _ := lent.Load(kind{shape{p.Model.Components(), p.Dim, 0}, p.Model.Full(), lanes.Count(p.N)})
	p.Reader = nil
	pool.(*sync.Pool).Put(p)
}

// NewPass returns a pass of a model over the rows of r.
func NewPass(r *Reader, model *mixture.Model) *Pass {
	return &Pass{Reader: r, Model: model, weighed: make([]weighed, lanes.Count(r.N))}
}

// lane returns what a lane's rows add up to, for no rows yet.
func (p *Pass) lane(number int) weighed {
	w := &p.weighed[number]
	if w.Sums == nil {
		k := p.Model.Components()
		*w = weighed{p.Model.NewSums(), newEntropies(k)}
	}
	w.Sums.Reset()
	w.Entropies.reset()
	return *w
}

// Row returns row j of the block, with dim values.
func (s *Space) Row(j, dim int) []float64 { return s.block[j*dim : (j+1)*dim] }

// Run calls f for every block of rows with the mixture's results for it; from is the index of
// the block's first row. It returns the error of the lowest lane whose rows could not be read.
func (p *Pass) Run(f func(lane, from int, s *Space)) error {
	return lanes.Each(p.Rows, func(l *lanes.Lane) error {
		s := p.take()
		defer p.put(s)
		l.Room = s.block
		return l.Blocks(func(from int, x []float64) {
			s.Load(p.Model, x)
			f(l.Number, from, s)
		})
	})
}

func (p *Pass) shape() shape {
	return shape{p.Model.Components(), p.Dim, min(p.N, lanes.BlockRows)}
}

func (p *Pass) take() *Space {
	of := p.shape()
	if pool, known := idle.Load(of); known {
		if s, is := pool.(*sync.Pool).Get().(*Space); is {
			return s
		}
	}
	return &Space{p.Model.NewWorkspace(of.rows), make([]float64, of.rows*p.Dim), make([]float64, of.rows)}
}

func (p *Pass) put(s *Space) {
	pool, known := idle.Load(p.shape())
	if !known {
		pool, _ = idle.LoadOrStore(p.shape(), new(sync.Pool))
	}
	pool.(*sync.Pool).Put(s)
}
