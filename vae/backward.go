package vae

import (
	"fmt"

	"gonum.org/v1/gonum/blas"

	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/elementwise"
)

// Parts selects the derivatives that [Network.Backward] computes.
type Parts uint8

// The kinds of derivatives, which may be combined by |.
const (
	ForParameters Parts = 1 << iota // gradients of Shared and Private
	ForInput                        // derivatives by the input
)

// Backward takes the derivatives d of a loss by the outputs of the last Forward, and overwrites
// d. It replaces the gradients of the network's parameters by the derivatives of the loss,
// summed over the batch. If parts includes ForInput, it returns the derivatives by the input,
// valid until the next call, else nil. It panics if there has been no Forward since the last
// Backward.
func (n *Network) Backward(d []float32, parts Parts) (byInput []float32) {
	last := n.layers[len(n.layers)-1]
	if n.rows == 0 || len(d) != n.rows*last.Units {
		panic(fmt.Sprintf("vae: Backward of network %s with %d derivatives, want %d, those of the Forward before", n.name, len(d), n.rows*last.Units))
	}
	n.work.parts = parts
	own := last.d
	last.d = d
	for i := len(n.layers) - 1; i >= 0; i-- {
		l := n.layers[i]
		n.work.layer = l
		n.spread(l.Units, n.rows*l.in*l.sums/l.Units, n.work.gradient)
		switch {
		case i > 0:
			below := n.layers[i-1]
			below.d = room(below.d, n.rows*below.Units)
			byInput = below.d
		case parts&ForInput != 0:
			n.dIn = room(n.dIn, n.rows*l.in)
			byInput = n.dIn
		default:
			byInput = nil
			continue
		}
		n.work.dx = byInput
		n.spread(l.in, n.rows*l.sums, n.work.input)
	}
	last.d = own
	n.rows = 0
	return byInput
}

// gradientPiece computes the derivatives by the sums of units, and the gradients of their
// weights.
func (n *Network) gradientPiece(i int) {
	l := n.work.layer
	lo, hi := n.work.piece(i)
	for row := range n.rows {
		l.derive(row, lo, hi)
	}
	if n.work.parts&ForParameters == 0 {
		return
	}
	n.weightsOf(l, lo, hi)
	if l.Activation == Gated {
		n.weightsOf(l, l.Units+lo, l.Units+hi)
	}
}

// weightsOf computes the gradients of columns of W, and of their biases and conditions.
func (n *Network) weightsOf(l *dense, lo, hi int) {
	d := l.bySums()
	kernels.Implementation{}.Sgemm(blas.Trans, blas.NoTrans, l.in, hi-lo, n.rows,
		1, l.x, l.in, d[lo:], l.sums, 0, n.weightGradient(l)[lo:], l.sums)
	bias := n.biasGradient(l)[lo:hi]
	copy(bias, d[lo:hi])
	for row := 1; row < n.rows; row++ {
		elementwise.Add(bias, d[row*l.sums:][lo:hi])
	}
	if l.Activation == Gated {
		copy(n.conditionGradient(l)[lo:hi], bias)
	}
}

func (n *Network) inputPiece(i int) {
	l := n.work.layer
	lo, hi := n.work.piece(i)
	kernels.Implementation{}.Sgemm(blas.NoTrans, blas.Trans, n.rows, hi-lo, l.sums,
		1, l.bySums(), l.sums, n.weights(l)[lo*l.sums:], l.sums, 0, n.work.dx[lo:], l.in)
}
