package multitask

import (
	"math/rand/v2"

	"github.com/collabdict/collabdict/internal/kernels/elementwise"
	"github.com/collabdict/collabdict/internal/networks"
	"github.com/collabdict/collabdict/vae"
)

// pass computes the lower bound of a batch and its derivatives: Eqs. (30) to (32) with J = 1.
type pass struct {
	*Model
	q, p *vae.Gaussian // distributions of z given x, and of x given z

	x, noise, z []float32
	raw, d      []float32 // the decoder's outputs, clamped, and derivatives by them
	dq          []float32
	each        []float32 // 1/n for each row
	weights     []float32 // weight of the divergence in each latent dimension
}

func newPass(m *Model) *pass {
	return &pass{
		Model: m, weights: make([]float32, m.Latent()),
		q: vae.NewGaussian(m.Latent(), vae.SoftplusScale),
		p: vae.NewGaussian(m.Columns(), vae.SoftplusScale),
	}
}

// value is the mean per row of a batch, in nats: the decoder's likelihood, and the divergence
// kl in each latent dimension. It is valid until the next pass.
type value struct {
	likelihood float64
	kl         []float64
}

// elbo returns the lower bound, Eq. (30).
func (v value) elbo() float64 { return v.likelihood - sum(v.kl) }

// loss returns the loss that the encoder minimises, in which the divergence has the given
// weight and each dimension counts at least free nats.
func (v value) loss(weight, free float64) float64 {
	kl := 0.0
	for _, d := range v.kl {
		kl += max(d, free)
	}
	return float64(weight*kl) - v.likelihood
}

// forward computes the lower bound of the rows x, with noise from the source, and the
// derivatives of −likelihood by the decoder's outputs.
func (s *pass) forward(x []float32, src rand.Source) (value, error) {
	rows := len(x) / s.Columns()
	codes, err := s.Encoder.Forward(x, nil)
	if err != nil {
		return value{}, err
	}
	s.q.Set(codes)
	s.noise, s.z = networks.Room(s.noise, rows*s.Latent()), networks.Room(s.z, rows*s.Latent())
	vae.Normals(s.noise, src)
	s.q.Sample(s.z, s.noise)
	out, err := s.Decoder.Forward(s.z, nil)
	if err != nil {
		return value{}, err
	}
	s.raw, s.d = networks.Room(s.raw, len(out)), networks.Room(s.d, len(out))
	clampScales(s.raw, out, s.Columns())
	s.p.Set(s.raw)
	s.each = networks.Room(s.each, rows)
	for i := range s.each {
		s.each[i] = 1 / float32(rows)
	}
	nll, err := s.p.NegLogLikelihood(s.d, x, s.each)
	if err != nil {
		return value{}, err
	}
	clampBack(s.d, out, s.Columns())
	v := value{-nll, s.q.KL()}
	for j := range v.kl {
		v.kl[j] /= float64(rows)
	}
	return v, nil
}

// encoderGradient computes the derivatives of the loss by φ^s, Eq. (33), after forward.
func (s *pass) encoderGradient(v value, weight, free float64) {
	dz := s.Decoder.Backward(s.d, vae.ForInput)
	s.dq = networks.Room(s.dq, 2*len(dz))
	s.q.BackSample(s.dq, dz, s.noise)
	for j, kl := range v.kl {
		s.weights[j] = 0
		if kl > free || free == 0 {
			s.weights[j] = float32(weight) * s.each[0]
		}
	}
	s.q.BackKL(s.dq, s.weights)
	s.Encoder.Backward(s.dq, vae.ForParameters)
}

// decoderGradient computes the derivatives of −likelihood by θ, Eq. (34), after forward.
func (s *pass) decoderGradient() { s.Decoder.Backward(s.d, vae.ForParameters) }

// The decoder's raw scales are limited so that ln σ is from −6 to 3, where σ is ln(1 + e^raw) +
// 0.001. Without a lower limit, a variable that is constant in some pattern could raise the
// likelihood without bound, as a singular covariance matrix does.
const (
	LowestRaw  = -6.51582
	HighestRaw = 20.08454
)

// clampScales copies outputs to to. Each row has equal numbers of means and raw scales; the raw
// scales are clamped to their range.
func clampScales(to, outputs []float32, columns int) {
	copy(to, outputs)
	for at := 0; at < len(to); at += 2 * columns {
		scales := to[at+columns : at+2*columns]
		elementwise.Clamp(scales, scales, LowestRaw, HighestRaw)
	}
}

// clampBack sets to 0 the derivatives that would move a raw scale further out of its range. The
// others stay, so that a scale can come back.
func clampBack(d, outputs []float32, columns int) {
	for at := 0; at < len(d); at += 2 * columns {
		d, raw := d[at+columns:at+2*columns], outputs[at+columns:at+2*columns]
		for i, v := range raw {
			if v < LowestRaw && d[i] > 0 || v > HighestRaw && d[i] < 0 {
				d[i] = 0
			}
		}
	}
}

func sum(x []float64) (total float64) {
	for _, v := range x {
		total += v
	}
	return total
}
