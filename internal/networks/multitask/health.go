package multitask

import (
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict/vae"
)

// Health measures whether the encoder still distinguishes rows. If it does not, posteriors have
// collapsed to the prior, and scores do not depend on a row's pattern.
type Health struct {
	// Information is the mutual information of x and z under the encoder, in nats. It is at
	// most ln of the number of measured rows, which is up to 256.
	Information float64
	// KL is the mean divergence of q(z|x) from the prior, in nats.
	KL float64
	// Active is the number of latent dimensions, out of Latent, whose mean has a variance over
	// the rows above 0.01 (Burda et al. 2016).
	Active, Latent int
	// Collapsed reports that the information is below 0.1 nats although the warm-up is over.
	Collapsed bool
}

const (
	healthRows     = 256
	activeVariance = 0.01
	collapsed      = 0.1
)

// Health measures the current model on up to 256 evenly spread own rows, always the same ones
// with the same noise. It reveals nothing to others. Call it between two rounds, after Start.
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
	q := vae.NewGaussian(d, vae.SoftplusScale)
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
	vae.Normals(noise, src)
	q.Sample(z, noise)
	h.Information = information(q, z)
	return h, nil
}

// information estimates ⟨ln q(z|x) − ln q(z)⟩ from one sample z per row, where q(z) is the mean
// of q(z|x) over the rows.
func information(q *vae.Gaussian, z []float32) float64 {
	n := q.Rows()
	densities := make([]float64, n)
	total := 0.0
	for i := range n {
		q.LogDensity(densities, z[i*q.Dim:][:q.Dim])
		total += densities[i] - vae.LogMeanExp(densities)
	}
	return math.Max(0, total/float64(n))
}
