package nn

import (
	"slices"

	"github.com/collabdict/collabdict/internal/kernels/elementwise"
)

// Affine is a layer with the numbers that it turns a row x of Inputs columns into sums by,
// xW + b, of twice as many columns as Units if the layer is gated.
type Affine struct {
	Layer
	Inputs int
	W      []float32 // row by row
	B      []float32 // of gated layers b + v
}

// Layers returns copies of all layers.
func (n *Network) Layers() []Affine {
	var all []Affine
	for _, l := range n.layers {
		a := Affine{l.Layer, l.in, slices.Clone(n.weights(l)), slices.Clone(n.bias(l))}
		if l.Activation == Gated {
			elementwise.Add(a.B, n.condition(l))
		}
		all = append(all, a)
	}
	return all
}
