package vae

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestSquaredError(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	y, x, d := normals(rng, 60, 1), normals(rng, 60, 1), make([]float32, 60)
	y64 := doubles(y)
	loss := func() (sum float64) {
		for i, v := range y64 {
			sum += (v - float64(x[i])) * (v - float64(x[i]))
		}
		return sum
	}
	got, err := SquaredError(d, y, x, 20)
	if err != nil || !near(got, loss(), 1e-6) {
		t.Errorf("squared error is %g, %v, want %g", got, err, loss())
	}
	checkGradient(t, "squared error", d, y64, loss)
}

func TestSoftmaxCrossEntropy(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	labels := []int{4, 0, 2}
	logits, d := normals(rng, 15, 3), make([]float32, 15)
	logits64 := doubles(logits)
	loss := func() (sum float64) {
		for i, label := range labels {
			row, z := logits64[5*i:][:5], 0.0
			for _, v := range row {
				z += math.Exp(v)
			}
			sum += math.Log(z) - row[label]
		}
		return sum
	}
	got, err := SoftmaxCrossEntropy(d, logits, labels, 5)
	if err != nil || !near(got, loss(), 1e-6) {
		t.Errorf("cross-entropy is %g, %v, want %g", got, err, loss())
	}
	checkGradient(t, "cross-entropy", d, logits64, loss)
	Softmax(logits, logits, 5)
	for i, label := range labels {
		d[5*i+label]++
	}
	for i, p := range logits {
		if !near(float64(p), float64(d[i]), 1e-6) {
			t.Errorf("probability %d is %g, want %g", i, p, d[i])
		}
	}
	for _, c := range []struct {
		logits []float32
		label  int
		want   string
	}{
		{[]float32{1, 2, 3}, 3, "vae: row 0 of the batch has label 3, want 0 to 2"},
		{[]float32{1, 2, 3}, -1, "vae: row 0 of the batch has label -1, want 0 to 2"},
		{[]float32{1, float32(math.NaN()), 3}, 0, "vae: cross-entropy of row 0 of the batch is NaN"},
		{[]float32{1, float32(math.Inf(1)), 3}, 0, "vae: cross-entropy of row 0 of the batch is NaN"},
	} {
		if _, err := SoftmaxCrossEntropy(d[:3], c.logits, []int{c.label}, 3); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
}

// gaussian64 computes a row of [Gaussian] by its definition, in float64.
func gaussian64(form Scale, outputs []float64, j, dim int) (mean, logScale float64) {
	raw := outputs[dim+j]
	if form == ExpScale {
		return outputs[j], min(max(raw, -6), 3)
	}
	return outputs[j], math.Log(softplus64(raw) + 1e-3)
}

func TestGaussian(t *testing.T) {
	const dim, rows, each = 3, 4, 2
	for _, form := range []Scale{ExpScale, SoftplusScale} {
		rng := rand.New(rand.NewPCG(5, uint64(form)))
		outputs := normals(rng, rows*2*dim, 3)
		outputs[dim] = -7 // beyond the ends of ExpScale
		outputs[dim+1] = 4
		g := NewGaussian(dim, form)
		g.Set(outputs)
		outputs64 := doubles(outputs)

		x, weights := normals(rng, rows/each*dim, 1), normals(rng, rows, 1)
		loss := func() (sum float64) {
			for r := range rows {
				for j := range dim {
					m, s := gaussian64(form, outputs64[r*2*dim:], j, dim)
					e := (float64(x[r/each*dim+j]) - m) / math.Exp(s)
					sum += float64(weights[r]) * (0.5*e*e + s + 0.5*math.Log(2*math.Pi))
				}
			}
			return sum
		}
		d := make([]float32, len(outputs))
		got, err := g.NegLogLikelihood(d, x, weights)
		if err != nil || !near(got, loss(), 1e-5) {
			t.Errorf("negative log-likelihood is %g, %v, want %g", got, err, loss())
		}
		checkGradient(t, "negative log-likelihood", d, outputs64, loss)

		densities := make([]float64, rows)
		g.LogDensity(densities, x)
		sum := 0.0
		for r, v := range densities {
			sum -= float64(weights[r]) * v
		}
		if !near(sum, got, 1e-6) {
			t.Errorf("log densities add up to %g, want %g", sum, got)
		}
		checkSamples(t, g, outputs64, rng)
	}
}

func checkSamples(t *testing.T, g *Gaussian, outputs []float64, rng *rand.Rand) {
	const each = 3
	dim := g.Dim
	noise, c := normals(rng, g.Rows()*each*dim, 1), normals(rng, g.Rows()*each*dim, 1)
	beta := []float32{0.5, 2, 0}
	loss := func() (sum float64) {
		for r := range g.Rows() {
			for j := range dim {
				m, s := gaussian64(g.Form, outputs[r*2*dim:], j, dim)
				sum += float64(beta[j]) * (0.5*(math.Exp(2*s)+m*m-1) - s)
				for i := range each {
					at := (r*each+i)*dim + j
					sum += float64(c[at]) * (m + math.Exp(s)*float64(noise[at]))
				}
			}
		}
		return sum
	}
	z, got := make([]float32, len(noise)), 0.0
	g.Sample(z, noise)
	for i, v := range z {
		got += float64(c[i]) * float64(v)
	}
	for j, kl := range g.KL() {
		got += float64(beta[j]) * kl
	}
	if !near(got, loss(), 1e-5) {
		t.Errorf("samples and divergence are %g, want %g", got, loss())
	}
	d := make([]float32, len(outputs))
	g.BackSample(d, c, noise)
	g.BackKL(d, beta)
	checkGradient(t, "samples and divergence", d, outputs, loss)

	densities := make([]float64, g.Rows()*each) // densities of samples under their own distributions
	g.LogDensity(densities, z)
	for r, v := range densities {
		want := 0.0
		for j := range dim {
			e := float64(noise[r*dim+j])
			want -= 0.5*e*e + float64(g.LogScale[r/each*dim+j]) + 0.5*math.Log(2*math.Pi)
		}
		if !near(v, want, 2e-3) { // z is rounded, and a scale of e^−6 magnifies the error
			t.Errorf("log density of sample %d is %g, want %g", r, v, want)
		}
	}
}

func TestStandardLogDensity(t *testing.T) {
	got := make([]float64, 2)
	StandardLogDensity(got, []float32{0, 0, 1, -2}, 2)
	for i, want := range []float64{-math.Log(2 * math.Pi), -math.Log(2*math.Pi) - 2.5} {
		if !near(got[i], want, 1e-15) {
			t.Errorf("log density %d is %g, want %g", i, got[i], want)
		}
	}
}

func TestLogMeanExp(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{-1000, -1000}, -1000},
		{[]float64{0, math.Log(3)}, math.Log(2)},
		{[]float64{math.Inf(-1), 0}, -math.Log(2)},
		{[]float64{math.Inf(-1)}, math.Inf(-1)},
	} {
		if got := LogMeanExp(c.x); got != c.want && !near(got, c.want, 1e-15) {
			t.Errorf("%v: got %g, want %g", c.x, got, c.want)
		}
	}
}
