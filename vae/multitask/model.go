package multitask

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/vae/nn"
)

// Model is an encoder and a decoder. It is for one goroutine at a time, as its networks
// are.
type Model struct {
	Encoder *nn.Network // φ^s: of a row of M columns it makes d means and d raw scales
	Decoder *nn.Network // θ: of a row of d columns it makes M means and M raw scales
}

// NewModel returns a model of rows of so many columns, at least 1, with the weights that
// all members start with. Config is valid.
func NewModel(columns int, c Config) *Model {
	if columns < 1 {
		panic(errColumns)
	}
	chain := func(name string, in int, hidden []int, out int) *nn.Network {
		var layers []nn.Layer
		for _, units := range hidden {
			layers = append(layers, nn.Layer{Units: units, Activation: nn.ReLU})
		}
		return nn.New(name, in, append(layers, nn.Layer{Units: 2 * out})...)
	}
	backwards := slices.Clone(c.Hidden)
	slices.Reverse(backwards)
	m := &Model{
		Encoder: chain("encoder", columns, backwards, c.Latent),
		Decoder: chain("decoder", c.Latent, c.Hidden, columns),
	}
	m.Decoder.Initialise(rand.NewPCG(c.Seed, 1))
	m.Encoder.Initialise(rand.NewPCG(c.Seed, 2))
	return m
}

const errColumns = "multitask: want rows of at least 1 column"

// Columns returns M, Latent d.
func (m *Model) Columns() int { return m.Encoder.Inputs() }

// Latent returns d.
func (m *Model) Latent() int { return m.Decoder.Inputs() }

// Matrices calls f with every matrix of weights and its elements, row by row, those of the
// encoder first: what a file of the model has to hold, and where it is read to. Names are
// those of networks, as encoder.0.weight.
func (m *Model) Matrices(f func(s nn.Shape, values []float32)) {
	m.Encoder.Shared.Matrices(f)
	m.Decoder.Shared.Matrices(f)
}

// SetFrom gives m the weights of another model of the same sizes.
func (m *Model) SetFrom(from *Model) {
	if !slices.Equal(m.Encoder.Shared.Shapes, from.Encoder.Shared.Shapes) ||
		!slices.Equal(m.Decoder.Shared.Shapes, from.Decoder.Shared.Shapes) {
		panic(fmt.Sprintf("multitask: a model of %d columns and %d latent dimensions cannot take the weights of one of %d and %d, or with other layers",
			m.Columns(), m.Latent(), from.Columns(), from.Latent()))
	}
	copy(m.Encoder.Shared.Values, from.Encoder.Shared.Values)
	copy(m.Decoder.Shared.Values, from.Decoder.Shared.Values)
}
