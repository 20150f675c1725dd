package beta

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/internal/networks"
	"github.com/collabdict/collabdict/vae"
)

// Model is the auto-encoder. The encoder turns each row into a normal distribution of
// independent latent variables of scale e^raw; the decoder turns each latent vector into a row,
// with a sigmoid at the end. Hidden units are rectified linear units, or gated units at the
// member's conditions. Only one goroutine may use a Model at a time.
type Model struct {
	config           Config
	encoder, decoder *vae.Network
	all, own         *vae.Parameters // own are conditions
	latent           *vae.Gaussian
	beta             []float32 // one per latent variable

	x, z, noise, byOutput, byLatent []float32
}

// NewModel returns a model with the parameters with which training starts, and conditions of 0.
func NewModel(c Config) *Model {
	c = c.withDefaults()
	m := &Model{config: c, latent: vae.NewGaussian(c.Latent, vae.ExpScale)}
	hidden := vae.Layer{Activation: vae.ReLU}
	if c.Conditioned {
		hidden.Activation = vae.Gated
	}
	var down, up []vae.Layer
	for _, hidden.Units = range c.Hidden {
		down, up = append(down, hidden), slices.Insert(up, 0, hidden)
	}
	m.encoder = vae.New("encoder", c.Inputs, append(down, vae.Layer{Units: 2 * c.Latent})...)
	m.decoder = vae.New("decoder", c.Latent, append(up, vae.Layer{Units: c.Inputs, Activation: vae.Sigmoid})...)
	m.all = vae.Join(m.encoder, m.decoder)
	m.own = m.encoder.Private
	src := rand.NewPCG(c.Seed, 0)
	m.encoder.Initialise(src)
	m.decoder.Initialise(src)
	for range c.Latent {
		m.beta = append(m.beta, float32(c.Beta))
	}
	return m
}

// Parameters returns weights and biases, the encoder's before the decoder's. The values may be
// changed in place.
func (m *Model) Parameters() *vae.Parameters { return m.all }

// Conditions returns the member's conditions in the order of layers, in each layer those of the
// tanh before those of the sigmoid. An unconditioned model has none. The values may be changed
// in place.
func (m *Model) Conditions() *vae.Parameters { return m.own }

// Loss is a mean over rows.
type Loss struct {
	Squares    float64 // sum of squared errors of a decoded row
	Divergence float64 // divergence of the row's distribution from the prior, summed over latent variables
	Total      float64 // Squares + β·Divergence
}

// evaluated is the number of rows encoded at a time outside of training.
const evaluated = 256

// Evaluate returns the loss of rows x. Each row is decoded from one draw of its distribution.
func (m *Model) Evaluate(x []float32, src rand.Source) (Loss, error) {
	var sum Loss
	err := m.each(x, func(x []float32) error {
		l, err := m.forward(x, src)
		sum.add(l)
		return err
	})
	return sum.over(float64(len(x)/m.config.Inputs), m.config.Beta), err
}

// Encode returns one draw of the distribution of each row of x, as consecutive latent vectors.
func (m *Model) Encode(x []float32, src rand.Source) ([]float32, error) {
	z := make([]float32, 0, len(x)/m.config.Inputs*m.config.Latent)
	err := m.each(x, func(x []float32) error {
		if err := m.encode(x, src); err != nil {
			return err
		}
		z = append(z, m.z...)
		return nil
	})
	return z, err
}

// Decode returns the rows of latent vectors z. They are valid until the next call of the model.
func (m *Model) Decode(z []float32) ([]float32, error) { return m.decoder.Forward(z, nil) }

func (m *Model) each(x []float32, f func(x []float32) error) error {
	for size := evaluated * m.config.Inputs; len(x) > 0; {
		n := min(size, len(x))
		if err := f(x[:n]); err != nil {
			return err
		}
		x = x[n:]
	}
	return nil
}

func (m *Model) encode(x []float32, src rand.Source) error {
	h, err := m.encoder.Forward(x, nil)
	if err != nil {
		return err
	}
	m.latent.Set(h)
	m.noise, m.z = networks.Room(m.noise, len(h)/2), networks.Room(m.z, len(h)/2)
	vae.Normals(m.noise, src)
	m.latent.Sample(m.z, m.noise)
	return nil
}

// forward returns the sums of a batch, and keeps what backward needs.
func (m *Model) forward(x []float32, src rand.Source) (l Loss, err error) {
	if err := m.encode(x, src); err != nil {
		return Loss{}, err
	}
	y, err := m.decoder.Forward(m.z, nil)
	if err != nil {
		return Loss{}, fmt.Errorf("encoded rows are not finite: training has diverged, lower the learning rate (%w)", err)
	}
	m.byOutput = networks.Room(m.byOutput, len(x))
	l.Squares, err = vae.SquaredError(m.byOutput, y, x, m.config.Inputs)
	for _, kl := range m.latent.KL() {
		l.Divergence += kl
	}
	return l, err
}

func (m *Model) backward() {
	m.byLatent = networks.Room(m.byLatent, 2*len(m.z))
	byZ := m.decoder.Backward(m.byOutput, vae.ForParameters|vae.ForInput)
	m.latent.BackSample(m.byLatent, byZ, m.noise)
	m.latent.BackKL(m.byLatent, m.beta)
	m.encoder.Backward(m.byLatent, vae.ForParameters)
}

func (l *Loss) add(b Loss) {
	l.Squares += b.Squares
	l.Divergence += b.Divergence
}

func (l Loss) over(rows, beta float64) Loss {
	l.Squares /= rows
	l.Divergence /= rows
	l.Total = l.Squares + float64(beta*l.Divergence)
	return l
}
