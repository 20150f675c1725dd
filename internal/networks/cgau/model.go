package cgau

import (
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/internal/networks/average"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/vae"
)

// Model is the classifier at one member. Only one goroutine may use it at a time.
type Model struct {
	config Config
	net    *vae.Network

	x, d    []float32
	classes []int
}

// NewModel returns a model with the parameters with which training starts, and conditions of 0,
// as at a member that has not trained.
func NewModel(c Config) *Model {
	c = c.withDefaults()
	var layers []vae.Layer
	for _, units := range c.Hidden {
		l := vae.Layer{Units: units, Activation: vae.Gated, Dropout: float32(c.Dropout)}
		if c.Plain {
			l.Activation = vae.ReLU
		}
		layers = append(layers, l)
	}
	m := &Model{config: c, net: vae.New("classifier", c.Inputs, append(layers, vae.Layer{Units: c.Classes})...)}
	m.net.Initialise(rand.NewPCG(c.Seed, 0))
	return m
}

// Config returns the configuration, with defaults filled in.
func (m *Model) Config() Config { return m.config }

// Network returns the classifier's network, whose outputs are logits.
func (m *Model) Network() *vae.Network { return m.net }

// Shared returns the weights and biases, which are the same at all members. The values may be
// changed in place.
func (m *Model) Shared() *vae.Parameters { return m.net.Shared }

// Conditions returns the member's conditions, in each gated layer those of the tanh before
// those of the sigmoid. A plain model has none. The values may be changed in place.
func (m *Model) Conditions() *vae.Parameters { return m.net.Private }

// MeanCondition sets the conditions to the mean of all members' conditions, weighted by their
// rows. The biases reveal this mean; see [average.SetMeanColumn].
func (m *Model) MeanCondition() {
	share := float32(m.config.ConditionRate / m.config.Rate)
	average.SetMeanColumn(m.net.Private, NewModel(m.config).net.Shared, m.net.Shared, share)
}

// evaluated is the number of rows classified at a time outside of training.
const evaluated = 256

// Probabilities returns the probabilities of the classes, row by row.
func (m *Model) Probabilities(x []float32) ([]float32, error) {
	p := make([]float32, 0, len(x)/m.config.Inputs*m.config.Classes)
	for size := evaluated * m.config.Inputs; len(x) > 0; {
		n := min(size, len(x))
		y, err := m.net.Forward(x[:n], nil)
		if err != nil {
			return nil, err
		}
		from := len(p)
		p = append(p, y...)
		vae.Softmax(p[from:], y, m.config.Classes)
		x = x[n:]
	}
	return p, nil
}

// Score is the result of a model on some rows.
type Score struct {
	Rows    int
	Loss    float64 // sum of the cross-entropies
	Correct int     // number of rows whose likeliest class is the right one
}

// Evaluate classifies rows. There may be no rows.
func (m *Model) Evaluate(rows Rows) (Score, error) {
	s := Score{Rows: len(rows.Classes)}
	for from := 0; from < s.Rows; from += evaluated {
		to := min(from+evaluated, s.Rows)
		classes := rows.Classes[from:to]
		y, err := m.net.Forward(rows.Values[from*m.config.Inputs:to*m.config.Inputs], nil)
		if err != nil {
			return Score{}, err
		}
		loss, err := m.loss(y, classes)
		if err != nil {
			return Score{}, err
		}
		s.Loss += loss
		for i, class := range classes {
			if metrics.Likeliest(y[i*m.config.Classes:][:m.config.Classes]) == class {
				s.Correct++
			}
		}
	}
	return s, nil
}

// loss returns the sum of cross-entropies and leaves its derivatives in d.
func (m *Model) loss(y []float32, classes []int) (float64, error) {
	m.d = slices.Grow(m.d[:0], len(y))[:len(y)]
	return vae.SoftmaxCrossEntropy(m.d, y, classes, m.config.Classes)
}
