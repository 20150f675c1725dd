package export

import (
	"fmt"

	"github.com/collabdict/collabdict/internal/export/onnx"
	"github.com/collabdict/collabdict/vae"
)

// network is a chain of layers with their weights. Several inputs may pass through it.
type network struct {
	g      *onnx.Graph
	layers []layer
}

type layer struct {
	vae.Affine
	w, b onnx.Value
}

func newNetwork(g *onnx.Graph, name string, n *vae.Network) *network {
	out := &network{g: g}
	for i, l := range n.Layers() {
		out.layers = append(out.layers, layer{
			l,
			g.Floats(fmt.Sprintf("%s.%d.weight", name, i), l.W, l.Inputs, len(l.B)),
			g.Floats(fmt.Sprintf("%s.%d.bias", name, i), l.B, len(l.B)),
		})
	}
	return out
}

var activations = map[vae.Activation]onnx.Op{
	vae.ReLU: onnx.Relu, vae.Tanh: onnx.Tanh, vae.Sigmoid: onnx.Sigmoid, vae.Softplus: onnx.Softplus,
}

// forward returns the network's output for rows. The names of intermediate values begin with
// prefix.
func (n *network) forward(prefix string, x onnx.Value) onnx.Value {
	for i, l := range n.layers {
		name := func(what string) string { return fmt.Sprintf("%s.%d.%s", prefix, i, what) }
		x = n.g.Apply(name("product"), onnx.MatMul, x, l.w)
		x = n.g.Apply(name("sum"), onnx.Add, x, l.b)
		switch l.Activation {
		case vae.Identity:
		case vae.Gated:
			parts := n.g.Split(x, []string{name("filter"), name("gate")}, []int64{int64(l.Units), int64(l.Units)})
			f := n.g.Apply(name("tanh"), onnx.Tanh, parts[0])
			g := n.g.Apply(name("sigmoid"), onnx.Sigmoid, parts[1])
			x = n.g.Apply(name("output"), onnx.Mul, f, g)
		default:
			x = n.g.Apply(name("output"), activations[l.Activation], x)
		}
	}
	return x
}

// halves splits rows of outputs into means and the values after them.
func halves(g *onnx.Graph, x onnx.Value, first, second string, units int) (means, rest onnx.Value) {
	parts := g.Split(x, []string{first, second}, []int64{int64(units), int64(units)})
	return parts[0], parts[1]
}
