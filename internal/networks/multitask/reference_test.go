package multitask

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/collabdict/collabdict/vae"
)

// reference computes Eq. (30) literally for one row in float64, from flat weights.
type reference struct {
	columns, latent    int
	hiddens            []int // of the encoder
	encoder, decoder   []float64
	klWeight, freeBits float64
}

func referenceOf(m *Model, c Config) *reference {
	r := &reference{columns: m.Columns(), latent: m.Latent(), klWeight: 1}
	for i := len(c.Hidden) - 1; i >= 0; i-- {
		r.hiddens = append(r.hiddens, c.Hidden[i])
	}
	wide := func(x []float32) (out []float64) {
		for _, v := range x {
			out = append(out, float64(v))
		}
		return out
	}
	r.encoder, r.decoder = wide(m.Encoder.Shared.Values), wide(m.Decoder.Shared.Values)
	return r
}

// affine applies a chain of layers to x, all rectified except the last one.
func affine(x, w []float64, units []int) []float64 {
	for l, n := range units {
		y := make([]float64, n)
		for j := range y {
			for i, v := range x {
				y[j] += v * w[i*n+j]
			}
			if y[j] += w[len(x)*n+j]; l < len(units)-1 {
				y[j] = math.Max(0, y[j])
			}
		}
		w = w[(len(x)+1)*n:]
		x = y
	}
	return x
}

// halves returns means and standard deviations of outputs.
func halves(out []float64) (mean, sd []float64) {
	n := len(out) / 2
	for _, v := range out[n:] {
		sd = append(sd, math.Max(v, 0)+math.Log1p(math.Exp(-math.Abs(v)))+1e-3)
	}
	return out[:n], sd
}

func (r *reference) encode(x []float64) (m, h []float64) {
	return halves(affine(x, r.encoder, append(append([]int(nil), r.hiddens...), 2*r.latent)))
}

// likelihood returns ln p(x|z).
func (r *reference) likelihood(x, z []float64) (total float64) {
	var units []int
	for i := len(r.hiddens) - 1; i >= 0; i-- {
		units = append(units, r.hiddens[i])
	}
	mu, sigma := halves(affine(z, r.decoder, append(units, 2*r.columns)))
	return logNormal(x, mu, sigma)
}

func logNormal(x, mean, sd []float64) (total float64) {
	for i, v := range x {
		u := (v - mean[i]) / sd[i]
		total -= 0.5*math.Log(2*math.Pi) + math.Log(sd[i]) + 0.5*u*u
	}
	return total
}

// loss returns the mean loss of the encoder over rows with the given noise.
func (r *reference) loss(x, noise [][]float64) float64 {
	like, kl := 0.0, make([]float64, r.latent)
	for i := range x {
		m, h := r.encode(x[i])
		z := make([]float64, r.latent)
		for j := range z {
			z[j] = m[j] + h[j]*noise[i][j]
			kl[j] += 0.5 * (h[j]*h[j] + m[j]*m[j] - 1 - math.Log(h[j]*h[j]))
		}
		like += r.likelihood(x[i], z)
	}
	out := -like / float64(len(x))
	for _, v := range kl {
		out += r.klWeight * math.Max(v/float64(len(x)), r.freeBits)
	}
	return out
}

func split(x []float32, columns int) (rows [][]float64) {
	for ; len(x) > 0; x = x[columns:] {
		row := make([]float64, columns)
		for i := range row {
			row[i] = float64(x[i])
		}
		rows = append(rows, row)
	}
	return rows
}

// The lower bound and the gradients of encoder and decoder equal the formula in float64 and its
// central differences, with and without free bits and a KL weight.
func TestGradientsAreTheDifferencesOfTheLowerBound(t *testing.T) {
	for name, c := range map[string]Config{
		"hidden layers": {Latent: 3, Hidden: []int{7, 9}, Seed: 1},
		"affine":        {Latent: 2, Seed: 2},
		"KL weight":     {Latent: 3, Hidden: []int{8}, Seed: 3, KLWeight: 0.3},
		"free bits":     {Latent: 3, Hidden: []int{8}, Seed: 4, FreeBits: 0.24},
	} {
		t.Run(name, func(t *testing.T) {
			c := c.withDefaults()
			x, err := vae.InMemory(patterns(12, 5, 1))
			if err != nil {
				t.Fatal(err)
			}
			m := NewModel(5, c)
			s := newPass(m)
			v, err := s.forward(x, rand.NewPCG(9, 9))
			if err != nil {
				t.Fatal(err)
			}
			r := referenceOf(m, c)
			r.klWeight, r.freeBits = c.KLWeight, c.FreeBits
			rows, noise := split(x, 5), split(s.noise, c.Latent)
			loss := func() float64 { return r.loss(rows, noise) }
			if got, want := v.loss(c.KLWeight, c.FreeBits), loss(); math.Abs(got-want) > 1e-5*math.Abs(want) {
				t.Errorf("loss %.9g, want %.9g", got, want)
			}
			free := 0
			for _, kl := range v.kl {
				if kl < c.FreeBits {
					free++
				}
			}
			if c.FreeBits > 0 && (free == 0 || free == c.Latent) {
				t.Fatalf("%d dimensions below the free bits of %g: want some", free, v.kl)
			}
			s.decoderGradient()
			differences(t, "decoder", m.Decoder.Shared.Gradient, r.decoder, loss)
			if v, err = s.forward(x, rand.NewPCG(9, 9)); err != nil {
				t.Fatal(err)
			}
			s.encoderGradient(v, c.KLWeight, c.FreeBits)
			differences(t, "encoder", m.Encoder.Shared.Gradient, r.encoder, loss)
		})
	}
}

// differences compares a gradient with central differences of f by w.
func differences(t *testing.T, name string, got []float32, w []float64, f func() float64) {
	t.Helper()
	const h = 1e-6
	for i, old := range w {
		w[i] = old + h
		above := f()
		w[i] = old - h
		want := (above - f()) / (2 * h)
		w[i] = old
		if math.Abs(float64(got[i])-want) > 2e-5*(1+math.Abs(want)) {
			t.Errorf("%s, weight %d: derivative %g, want %g", name, i, got[i], want)
		}
	}
}

// The lower bound of Eq. (30) is, within 4 standard errors, the mean over q of ln
// p(x,z)/q(z|x), in which the divergence is not integrated by hand.
func TestLowerBoundIsTheMeanOfItsIntegrand(t *testing.T) {
	c := Config{Latent: 2, Hidden: []int{6}, Seed: 8}.withDefaults()
	m := NewModel(4, c)
	x, err := vae.InMemory(patterns(1, 4, 1))
	if err != nil {
		t.Fatal(err)
	}
	many := make([]float32, 0, 1000*len(x))
	for range 1000 {
		many = append(many, x...)
	}
	src := rand.NewPCG(1, 2)
	s, formula := newPass(m), 0.0
	const passes = 20
	for range passes {
		v, err := s.forward(many, src)
		if err != nil {
			t.Fatal(err)
		}
		formula += v.elbo() / passes
	}
	r, row := referenceOf(m, c), split(x, 4)[0]
	mean, sd := r.encode(row)
	normal, total, squares := rand.New(src), 0.0, 0.0
	const draws = 40000
	zero, one := make([]float64, 2), []float64{1, 1}
	for range draws {
		z := []float64{mean[0] + sd[0]*normal.NormFloat64(), mean[1] + sd[1]*normal.NormFloat64()}
		v := r.likelihood(row, z) + logNormal(z, zero, one) - logNormal(z, mean, sd)
		total += v
		squares += v * v
	}
	total /= draws
	deviation := math.Sqrt((squares/draws - total*total) / draws)
	if math.Abs(formula-total) > 4*math.Sqrt2*deviation {
		t.Errorf("lower bound %.5f, mean of the integrand %.5f ± %.5f", formula, total, deviation)
	}
}

// A scale beyond its range has the density of the end of the range, and can only come back.
func TestScalesAreClamped(t *testing.T) {
	out := []float32{0, 0, 0, -50, 0, 90} // means, then raw scales
	raw := make([]float32, len(out))
	clampScales(raw, out, 3)
	p := vae.NewGaussian(3, vae.SoftplusScale)
	p.Set(raw)
	for i, want := range []float64{-6, math.Log(math.Ln2 + 1e-3), 3} {
		if got := float64(p.LogScale[i]); math.Abs(got-want) > 1e-4 {
			t.Errorf("logarithm of scale %d is %g, want %g", i, got, want)
		}
	}
	for _, c := range []struct{ d, want [3]float32 }{
		{[3]float32{1, 1, 1}, [3]float32{0, 1, 1}},
		{[3]float32{-1, -1, -1}, [3]float32{-1, -1, 0}},
	} {
		d := append([]float32{5, 5, 5}, c.d[:]...)
		clampBack(d, out, 3)
		if [3]float32(d[3:]) != c.want || d[0] != 5 {
			t.Errorf("derivatives %g become %g, want %g", c.d, d[3:], c.want)
		}
	}
}
