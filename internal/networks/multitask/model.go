package multitask

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/vae"
)

// Model is an encoder and a decoder. Only one goroutine may use it at a time.
type Model struct {
	Encoder *vae.Network // φ^s: turns a row of M columns into d means and d raw scales
	Decoder *vae.Network // θ: turns a row of d columns into M means and M raw scales
}

// NewModel returns a model of rows with at least 1 column, with the weights with which all
// members start. c must be valid.
func NewModel(columns int, c Config) *Model {
	if columns < 1 {
		panic(errColumns)
	}
	chain := func(name string, in int, hidden []int, out int) *vae.Network {
		var layers []vae.Layer
		for _, units := range hidden {
			layers = append(layers, vae.Layer{Units: units, Activation: vae.ReLU})
		}
		return vae.New(name, in, append(layers, vae.Layer{Units: 2 * out})...)
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

// Matrices calls f with every matrix of weights and its elements, row by row, the encoder's
// first. Files of the model hold these matrices under names such as encoder.0.weight.
func (m *Model) Matrices(f func(s vae.Shape, values []float32)) {
	m.Encoder.Shared.Matrices(f)
	m.Decoder.Shared.Matrices(f)
}

// SetFrom copies the weights of another model of the same sizes.
func (m *Model) SetFrom(from *Model) {
	if !slices.Equal(m.Encoder.Shared.Shapes, from.Encoder.Shared.Shapes) ||
		!slices.Equal(m.Decoder.Shared.Shapes, from.Decoder.Shared.Shapes) {
		panic(fmt.Sprintf("multitask: a model of %d columns and %d latent dimensions cannot take the weights of one of %d and %d, or with other layers",
			m.Columns(), m.Latent(), from.Columns(), from.Latent()))
	}
	copy(m.Encoder.Shared.Values, from.Encoder.Shared.Values)
	copy(m.Decoder.Shared.Values, from.Decoder.Shared.Values)
}
