package multitask

import (
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict/vae/nn"
)

// Health tells whether the encoder still tells rows apart. If it does not, posteriors have
// collapsed to the prior, and scores do not know which pattern a row is of.
type Health struct {
	// Information is the mutual information of x and z under the encoder, in nats: what z
	// tells of x. It cannot be more than ln of the rows it is measured on, at most 256.
	Information float64
	// KL is the mean divergence of q(z|x) from the prior, in nats.
	KL float64
	// Active is the number of latent dimensions whose mean varies over the rows with a
	// variance above 0.01 (Burda et al. 2016), of Latent.
	Active, Latent int
	// Collapsed says that the information is below 0.1 nats, and the warm-up over.
	Collapsed bool
}

const (
	healthRows     = 256
	activeVariance = 0.01
	collapsed      = 0.1
)

// Health measures the model in effect on up to 256 of the own rows, evenly spread, always
// the same with the same noise. It says nothing to others. It is for between two rounds,
// after Start.
func (l *Learner) Health() (Health, error) {
	if l.model == nil {
		return Health{}, errNotStarted
	}
	n := min(l.n, healthRows)
	x := make([]float32, 0, n*l.columns)
	for i := range n {
		x = append(x, l.rows[i*l.n/n*l.columns:][:l.columns]...)
	}
	h, err := l.model.health(x, rand.NewPCG(l.seed, math.MaxUint64))
	h.Collapsed = h.Information < collapsed && l.round >= l.config.WarmUp
	return h, err
}

func (m *Model) health(x []float32, src rand.Source) (Health, error) {
	codes, err := m.Encoder.Forward(x, nil)
	if err != nil {
		return Health{}, err
	}
	d, n := m.Latent(), len(x)/m.Columns()
	q := nn.NewGaussian(d, nn.SoftplusScale)
	q.Set(codes)
	h := Health{Latent: d, KL: sum(q.KL()) / float64(n)}
	for j := range d {
		mean, squares := 0.0, 0.0
		for i := range n {
			mean += float64(q.Mean[i*d+j]) / float64(n)
		}
		for i := range n {
			v := float64(q.Mean[i*d+j]) - mean
			squares += float64(v * v)
		}
		if squares/float64(n) > activeVariance {
			h.Active++
		}
	}
	noise, z := make([]float32, n*d), make([]float32, n*d)
	nn.Normals(noise, src)
	q.Sample(z, noise)
	h.Information = information(q, z)
	return h, nil
}

// information estimates ⟨ln q(z|x) − ln q(z)⟩, where q(z) is the mean of q(z|x) over the
// rows, by one sample z of each.
func information(q *nn.Gaussian, z []float32) float64 {
	n := q.Rows()
	densities := make([]float64, n)
	total := 0.0
	for i := range n {
		q.LogDensity(densities, z[i*q.Dim:][:q.Dim])
		total += densities[i] - nn.LogMeanExp(densities)
	}
	return math.Max(0, total/float64(n))
}
