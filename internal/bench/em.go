package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/cpu"
)

// EM describes the iterations of expectation maximisation to measure: a mixture of K components
// on N made-up rows of M variables.
type EM struct {
	N, M, K int
	Form    gmm.Covariance
	Threads int
	Reps    int // number of iterations; the best counts
}

// EMReport is the output of the command bench em. Its names are a contract.
type EMReport struct {
	N         int      `json:"n"`                // rows
	M         int      `json:"m"`                // variables
	K         int      `json:"k"`                // components
	Form      string   `json:"cov"`              // full, diag or spherical
	Threads   int      `json:"threads"`          // threads
	Path      cpu.Path `json:"path"`             // vector instructions
	Iteration float64  `json:"ms_per_iteration"` // the time of the best iteration
	EStep     float64  `json:"ms_e_step"`        // time of the E-step of the best iteration
	MStep     float64  `json:"ms_m_step"`        // the time of its M-step
	// Rate is the number of multiplications and additions that densities and weighted sums need at
	// least in the E-step, in 10^9 per second.
	Rate float64 `json:"e_step_gflops"`
	Peak float64 `json:"peak_gflops"` // the highest rate of the threads, in registers
	// LogLik is the mean log-likelihood of the rows before the last iteration.
	LogLik float64 `json:"mean_log_likelihood"`
}

// operations returns the number of multiplications and additions of an E-step.
func (e EM) operations() float64 {
	m := float64(e.M)
	each := 4*m + 4*m // squares of differences, then their sums and the sums of their squares
	if e.Form == gmm.Full {
		each = m + m*(m+1) + 2*m // differences, the triangular product, squares
		each += 2*m + 1 + (m+1)*(m+2)
	}
	return float64(e.N) * float64(e.K) * each
}

// MeasureEM measures iterations of EM: one that does not count, then Reps.
func MeasureEM(ctx context.Context, e EM) (*EMReport, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(e.Threads))
	rows, start, err := e.draw()
	if err != nil {
		return nil, err
	}
	r := &EMReport{N: e.N, M: e.M, K: e.K, Form: e.Form.String(), Threads: e.Threads, Path: cpu.Active()}
	r.Iteration = math.Inf(1)
	s := gmm.NewStepper(start, gmm.Matrix(rows), gmm.EM{})
	for rep := range e.Reps + 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		began := time.Now()
		if r.LogLik, err = s.Expect(); err != nil {
			return nil, err
		}
		between := time.Now()
		if err := s.Maximise(); err != nil {
			return nil, err
		}
		end := time.Now()
		if all := milliseconds(end.Sub(began)); rep > 0 && all < r.Iteration {
			r.Iteration, r.EStep, r.MStep = all, milliseconds(between.Sub(began)), milliseconds(end.Sub(between))
		}
	}
	r.Rate = e.operations() / 1e6 / r.EStep
	r.Peak = gflops(e.Threads, func(int) int { return blas.Peak(1e6) })
	return r, nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

// draw returns rows around K centres, and a mixture close to these as the start.
func (e EM) draw() (*mat.Dense, *gmm.Mixture, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	normals := func(rows int, by float64) *mat.Dense {
		x := make([]float64, rows*e.M)
		for i := range x {
			x[i] = by * rng.NormFloat64()
		}
		return mat.NewDense(rows, e.M, x)
	}
	centres, rows, means := normals(e.K, 2), normals(e.N, 1), normals(e.K, 0.5)
	for j := range e.N {
		x := rows.RawRowView(j)
		for i, c := range centres.RawRowView(rng.IntN(e.K)) {
			x[i] += c
		}
	}
	means.Add(means, centres)
	weights := make([]float64, e.K)
	for k := range weights {
		weights[k] = 1 / float64(e.K)
	}
	ones := mat.NewDense(e.K, e.M, nil)
	ones.Apply(func(_, _ int, _ float64) float64 { return 1 }, ones)
	if e.Form != gmm.Full {
		m, err := gmm.NewDiagMixture(e.Form, weights, means, ones)
		return rows, m, err
	}
	precisions := make([]*mat.SymDense, e.K)
	for k := range precisions {
		precisions[k] = mat.NewSymDense(e.M, nil)
		for i := range e.M {
			precisions[k].SetSym(i, i, 1)
		}
	}
	m, err := gmm.NewMixture(weights, means, precisions)
	return rows, m, err
}
