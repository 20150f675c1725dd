package vae

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict/internal/kernels/elementwise"
)

// Network is a chain of dense layers, with its values for the last batch.
type Network struct {
	// Shared holds the weights W (inputs by outputs) and biases of all layers under the names
	// Name.i.weight and Name.i.bias. Gated layers have W_f and W_g side by side.
	Shared *Parameters
	// Private holds the conditions v of gated layers, Name.i.condition, initially 0.
	Private *Parameters

	name            string
	first, firstOwn int // positions of its first parameters in Shared and in Private
	joined          bool
	layers          []*dense
	rows            int // rows of the last batch; 0 after Backward
	dIn             []float32
	work            work
}

// New returns a network with the given number of inputs, whose parameters are all 0; see
// [Network.Initialise]. It panics if there is no layer, a layer has no units, or a Dropout is
// not in [0, 1).
func New(name string, inputs int, layers ...Layer) *Network {
	n := &Network{Shared: new(Parameters), Private: new(Parameters), name: name}
	if inputs < 1 || len(layers) == 0 {
		panic(fmt.Sprintf("vae: network %s of %d inputs and %d layers, want at least one of each", name, inputs, len(layers)))
	}
	for i, spec := range layers {
		if spec.Units < 1 || spec.Activation > Gated || !(spec.Dropout >= 0 && spec.Dropout < 1) {
			panic(fmt.Sprintf("vae: layer %d of network %s is %+v, want at least 1 unit, a known activation, and dropout from 0 to below 1", i, name, spec))
		}
		l := &dense{Layer: spec, in: inputs, sums: spec.Units}
		if spec.Activation == Gated {
			l.sums *= 2
			l.condition = n.Private.add(Shape{fmt.Sprintf("%s.%d.condition", name, i), 1, l.sums})
		}
		l.weight = n.Shared.add(Shape{fmt.Sprintf("%s.%d.weight", name, i), inputs, l.sums})
		l.bias = n.Shared.add(Shape{fmt.Sprintf("%s.%d.bias", name, i), 1, l.sums})
		n.layers = append(n.layers, l)
		inputs = spec.Units
	}
	w := &n.work
	w.forward, w.gradient, w.input = n.forwardPiece, n.gradientPiece, n.inputPiece
	return n
}

// Inputs returns the number of columns of the input.
func (n *Network) Inputs() int { return n.layers[0].in }

// Outputs returns the number of units of the last layer.
func (n *Network) Outputs() int { return n.layers[len(n.layers)-1].Units }

// Initialise draws weights and biases uniformly from ±1/√inputs of their layer.
func (n *Network) Initialise(src rand.Source) {
	for _, l := range n.layers {
		bound := float32(1 / math.Sqrt(float64(l.in)))
		for _, x := range [][]float32{n.weights(l), n.bias(l)} {
			for i := range x {
				x[i] = bound * (2*uniform(src) - 1)
			}
		}
	}
}

func (n *Network) weights(l *dense) []float32 {
	return n.Shared.Values[n.first+l.weight:][:l.in*l.sums]
}

func (n *Network) bias(l *dense) []float32 { return n.Shared.Values[n.first+l.bias:][:l.sums] }

func (n *Network) condition(l *dense) []float32 {
	return n.Private.Values[n.firstOwn+l.condition:][:l.sums]
}

func (n *Network) weightGradient(l *dense) []float32 {
	return n.Shared.Gradient[n.first+l.weight:][:l.in*l.sums]
}

func (n *Network) biasGradient(l *dense) []float32 {
	return n.Shared.Gradient[n.first+l.bias:][:l.sums]
}

func (n *Network) conditionGradient(l *dense) []float32 {
	return n.Private.Gradient[n.firstOwn+l.condition:][:l.sums]
}

// Forward returns the outputs for a batch of rows. The next call overwrites them, and x must
// not change before Backward. Dropout draws from drop; a nil drop switches it off, as outside
// of training. If an input is not finite, the error names its row and column.
func (n *Network) Forward(x []float32, drop rand.Source) ([]float32, error) {
	n.rows = n.rowsOf(x, n.Inputs())
	if !elementwise.IsFinite(x) {
		n.rows = 0
		return nil, n.notFinite(x)
	}
	for _, l := range n.layers {
		n.forward(l, x)
		if l.Dropout > 0 && drop != nil {
			l.drop(drop)
		}
		x = l.output()
	}
	return x, nil
}

func (n *Network) rowsOf(x []float32, columns int) int {
	if len(x) == 0 || len(x)%columns != 0 {
		panic(fmt.Sprintf("vae: network %s has %d numbers, want rows of %d", n.name, len(x), columns))
	}
	return len(x) / columns
}

func (n *Network) notFinite(x []float32) error {
	for i, v := range x {
		if v-v != 0 {
			return fmt.Errorf("vae: input %d of row %d of the batch for network %s is %g, want a finite number: leave out the row or fill the gap",
				i%n.Inputs(), i/n.Inputs(), n.name, v)
		}
	}
	panic("vae: all numbers are finite")
}
