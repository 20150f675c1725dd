package vae

import (
	"slices"

	"github.com/collabdict/collabdict/internal/kernels/elementwise"
)

// Affine holds the numbers of a layer that turns a row x of Inputs columns into the sums xW +
// b. A gated layer has twice as many columns as Units.
type Affine struct {
	Layer
	Inputs int
	W      []float32 // row by row
	B      []float32 // in gated layers b + v
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
