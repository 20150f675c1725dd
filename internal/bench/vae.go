package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/collabdict/collabdict/internal/kernels/cpu"
	"github.com/collabdict/collabdict/vae"
)

// VAE describes the steps of a β-VAE to measure: 784-512-256-2 and back, with squared error
// plus ten times the divergence, and Adam.
type VAE struct {
	Batch, Threads int
	Steps          int // number of steps in each of three runs
}

// VAEReport is the output of the command bench vae. Its names are a contract.
type VAEReport struct {
	Batch   int      `json:"batch"`              // samples per batch
	Threads int      `json:"threads"`            // threads
	Path    cpu.Path `json:"path"`               // vector instructions
	Rate    float64  `json:"samples_per_second"` // rate of the best run
	// Allocations is the number of allocations per step in the last run.
	Allocations float64 `json:"allocations_per_step"`
	// Loss is the loss per sample before the last step.
	Loss float64 `json:"loss"`
}

// MeasureVAE measures steps on made-up samples.
func MeasureVAE(ctx context.Context, v VAE) (*VAEReport, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(v.Threads))
	r := &VAEReport{Batch: v.Batch, Threads: v.Threads, Path: cpu.Active()}
	m := newBetaVAE(v.Batch)
	best := time.Duration(math.MaxInt64)
	const runs, warmUp = 3, 5
	for run := range runs + 1 {
		steps := v.Steps
		if run == 0 {
			steps = warmUp
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		for range steps {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			loss, err := m.step()
			if err != nil {
				return nil, err
			}
			r.Loss = loss / float64(v.Batch)
		}
		if took := time.Since(start); run > 0 {
			best = min(best, took)
		}
		runtime.ReadMemStats(&after)
		r.Allocations = float64(after.Mallocs-before.Mallocs) / float64(steps)
	}
	r.Rate = float64(v.Batch*v.Steps) / best.Seconds()
	return r, nil
}

// betaVAE is the network whose steps are measured, with its batch.
type betaVAE struct {
	encoder, decoder  *vae.Network
	all               *vae.Parameters
	latent            *vae.Gaussian
	adam              *vae.Adam
	src               rand.Source
	x, z, noise, d, e []float32
	beta              []float32
}

func newBetaVAE(batch int) *betaVAE {
	const pixels, wide, narrow, dim, beta = 784, 512, 256, 2, 10
	relu := func(units int) vae.Layer { return vae.Layer{Units: units, Activation: vae.ReLU} }
	m := &betaVAE{
		encoder: vae.New("encoder", pixels, relu(wide), relu(narrow), vae.Layer{Units: 2 * dim}),
		decoder: vae.New("decoder", dim, relu(narrow), relu(wide), vae.Layer{Units: pixels, Activation: vae.Sigmoid}),
		latent:  vae.NewGaussian(dim, vae.ExpScale),
		src:     rand.NewPCG(1, 2),
		x:       make([]float32, batch*pixels), d: make([]float32, batch*pixels), e: make([]float32, batch*2*dim),
		z: make([]float32, batch*dim), noise: make([]float32, batch*dim),
		beta: []float32{beta, beta},
	}
	m.all = vae.Join(m.encoder, m.decoder)
	m.encoder.Initialise(m.src)
	m.decoder.Initialise(m.src)
	m.adam = vae.NewAdam(len(m.all.Values), 1e-3)
	rng := rand.New(m.src)
	for i := range m.x {
		m.x[i] = rng.Float32()
	}
	return m
}

// step runs one step of the optimiser, and returns the loss before it.
func (m *betaVAE) step() (float64, error) {
	h, err := m.encoder.Forward(m.x, nil)
	if err != nil {
		return 0, err
	}
	m.latent.Set(h)
	vae.Normals(m.noise, m.src)
	m.latent.Sample(m.z, m.noise)
	y, err := m.decoder.Forward(m.z, nil)
	if err != nil {
		return 0, err
	}
	loss, err := vae.SquaredError(m.d, y, m.x, m.decoder.Outputs())
	if err != nil {
		return 0, err
	}
	for j, kl := range m.latent.KL() {
		loss += float64(m.beta[j]) * kl
	}
	dz := m.decoder.Backward(m.d, vae.ForParameters|vae.ForInput)
	m.latent.BackSample(m.e, dz, m.noise)
	m.latent.BackKL(m.e, m.beta)
	m.encoder.Backward(m.e, vae.ForParameters)
	m.adam.Step(m.all.Values, m.all.Gradient)
	return loss, nil
}
