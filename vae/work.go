package vae

import (
	"runtime"

	"gonum.org/v1/gonum/blas"

	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/elementwise"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// work describes the computation of pieces of a layer. Elements of a product depend only on
// their row and column, so results do not depend on how columns are divided into pieces.
type work struct {
	layer           *dense
	pieces, columns int
	parts           Parts
	dx              []float32

	forward, gradient, input func(piece int) // created once, so that steps do not allocate
}

const (
	// pieceColumns is the width of the widest kernel. Pieces are multiples of it.
	pieceColumns = 48
	// leastPiece is the number of multiplications that justifies another goroutine.
	leastPiece = 1 << 19
)

// spread calls f for pieces of the columns. Each column takes the given number of
// multiplications.
func (n *Network) spread(columns, each int, f func(piece int)) {
	w := &n.work
	w.columns = columns
	w.pieces = max(1, min(runtime.GOMAXPROCS(0), columns*each/leastPiece, (columns+pieceColumns-1)/pieceColumns))
	parallel.For(w.pieces, f)
}

func (w *work) piece(i int) (lo, hi int) {
	blocks := (w.columns + pieceColumns - 1) / pieceColumns
	return i * blocks / w.pieces * pieceColumns, min(w.columns, (i+1)*blocks/w.pieces*pieceColumns)
}

func (n *Network) forward(l *dense, x []float32) {
	l.x, l.dropping = x, false
	l.a = room(l.a, n.rows*l.sums)
	if l.Activation == Gated {
		l.product = room(l.product, n.rows*l.Units)
		l.shift = room(l.shift, l.sums)
		copy(l.shift, n.bias(l))
		elementwise.Add(l.shift, n.condition(l))
	}
	n.work.layer = l
	n.spread(l.Units, n.rows*l.in*l.sums/l.Units, n.work.forward)
}

func (n *Network) forwardPiece(i int) {
	l := n.work.layer
	lo, hi := n.work.piece(i)
	n.products(l, lo, hi)
	bias := n.bias(l)
	if l.Activation == Gated {
		n.products(l, l.Units+lo, l.Units+hi)
		bias = l.shift
	}
	for row := range n.rows {
		l.activate(row, lo, hi, bias)
	}
}

func (n *Network) products(l *dense, lo, hi int) {
	kernels.Implementation{}.Sgemm(blas.NoTrans, blas.NoTrans, n.rows, hi-lo, l.in,
		1, l.x, l.in, n.weights(l)[lo:], l.sums, 0, l.a[lo:], l.sums)
}
