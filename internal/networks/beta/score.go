package beta

import (
	"math"

	"github.com/collabdict/collabdict/internal/networks"
	"github.com/collabdict/collabdict/vae"
)

// Scores holds the scores of consecutive rows, starting with row From.
type Scores struct {
	From int
	// Loss is the loss of each row when decoded from the mean of its distribution: the sum of
	// its Squares, plus β times the divergence from the prior.
	Loss []float64
	// Squares holds the squared error of each value of each row.
	Squares []float64
}

const scoreRows = 64

// Score calls f with the scores of all rows, block by block in order; they are valid until f
// returns. It draws nothing. Values larger than 10¹² are treated as 10¹².
func (m *Model) Score(rows vae.Rows, f func(Scores)) error {
	columns := m.config.Inputs
	loss, squares := make([]float64, scoreRows), make([]float64, scoreRows*columns)
	return m.blocks(rows, func(from int, x []float32) error {
		n := len(x) / columns
		if err := m.distribute(x); err != nil {
			return err
		}
		y, err := m.Decode(m.latent.Mean)
		if err != nil {
			return err
		}
		for i := range n {
			at := i * columns
			squared := squaresOf(squares[at:at+columns], x[at:at+columns], y[at:at+columns])
			loss[i] = squared + float64(m.config.Beta*m.divergence(i))
		}
		f(Scores{From: from, Loss: loss[:n], Squares: squares[:len(x)]})
		return nil
	})
}

// LogLik calls f with estimates of ln p(x) of all rows, block by block. An estimate is
//
//	ln 1/J Σ p(x|z)p(z)/q(z|x)
//
// over J ≥ 1 draws of z from the row's distribution (Burda et al. 2016, Eq. 8). On average, it
// is too low. The density p(x|z) is normal with variance β/2 in each value; with it, the loss is
// −β times the evidence lower bound, up to a constant. The draws for a row depend only on its
// values.
func (m *Model) LogLik(rows vae.Rows, draws int, f func(from int, values []float64)) error {
	if draws < 1 {
		panic("beta: want at least 1 draw for log-likelihoods, got none")
	}
	columns, latent := m.config.Inputs, m.config.Latent
	values := make([]float64, scoreRows)
	prior, own := make([]float64, scoreRows*draws), make([]float64, scoreRows*draws)
	constant := float64(float64(columns) / 2 * math.Log(math.Pi*m.config.Beta))
	return m.blocks(rows, func(from int, x []float32) error {
		n := len(x) / columns
		if err := m.distribute(x); err != nil {
			return err
		}
		m.noise, m.z = networks.Room(m.noise, n*draws*latent), networks.Room(m.z, n*draws*latent)
		for i := range n {
			vae.NormalsOf(m.noise[i*draws*latent:][:draws*latent], x[i*columns:][:columns])
		}
		m.latent.Sample(m.z, m.noise)
		y, err := m.Decode(m.z)
		if err != nil {
			return err
		}
		prior, own := prior[:n*draws], own[:n*draws]
		vae.StandardLogDensity(prior, m.z, latent)
		m.latent.LogDensity(own, m.z)
		for k := range prior {
			prior[k] -= own[k] + squaresOf(nil, x[k/draws*columns:][:columns], y[k*columns:][:columns])/m.config.Beta
		}
		for i := range n {
			values[i] = vae.LogMeanExp(prior[i*draws:][:draws]) - constant
		}
		f(from, values[:n])
		return nil
	})
}

func (m *Model) blocks(rows vae.Rows, f func(from int, x []float32) error) error {
	columns := m.config.Inputs
	if n, got := rows.Dims(); n > 0 && got != columns {
		panic("beta: rows to score have other columns than the model")
	}
	return vae.EachBlock(rows, math.MaxFloat64, func(from int, x []float32) error {
		for len(x) > 0 {
			n := min(scoreRows, len(x)/columns)
			if err := f(from, x[:n*columns]); err != nil {
				return err
			}
			from += n
			x = x[n*columns:]
		}
		return nil
	})
}

// distribute sets the distributions of latent variables to those of the rows.
func (m *Model) distribute(x []float32) error {
	h, err := m.encoder.Forward(x, nil)
	if err == nil {
		m.latent.Set(h)
	}
	return err
}

func (m *Model) divergence(i int) (kl float64) {
	for j := i * m.latent.Dim; j < (i+1)*m.latent.Dim; j++ {
		mean, scale := float64(m.latent.Mean[j]), float64(m.latent.Scale[j])
		kl += float64(0.5*(float64(scale*scale)+float64(mean*mean)-1)) - float64(m.latent.LogScale[j])
	}
	return kl
}

// squaresOf sets dst, if not nil, to the squared differences, and returns their sum.
func squaresOf(dst []float64, x, y []float32) (sum float64) {
	for i, v := range x {
		d := float64(v) - float64(y[i])
		s := float64(d * d)
		if sum += s; dst != nil {
			dst[i] = s
		}
	}
	return sum
}

// Config returns the configuration, with defaults filled in.
func (m *Model) Config() Config { return m.config }

// Divergence returns the mean divergence from the prior of the distributions of rows x, at
// least one. It is an upper bound of the information in codes, in nats per row.
func (m *Model) Divergence(x []float32) (float64, error) {
	sum, columns := 0.0, m.config.Inputs
	err := m.each(x, func(x []float32) error {
		if err := m.distribute(x); err != nil {
			return err
		}
		for i := range len(x) / columns {
			sum += m.divergence(i)
		}
		return nil
	})
	return sum / float64(len(x)/columns), err
}

// Means returns the means of the rows' distributions, as consecutive latent vectors.
func (m *Model) Means(rows vae.Rows) (z []float32, err error) {
	err = m.blocks(rows, func(_ int, x []float32) error {
		if err := m.distribute(x); err != nil {
			return err
		}
		z = append(z, m.latent.Mean...)
		return nil
	})
	return z, err
}

// Networks returns the model's two networks.
func (m *Model) Networks() (encoder, decoder *vae.Network) { return m.encoder, m.decoder }
