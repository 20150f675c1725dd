package fedgen

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/portable"
)

// Range is the numbers of components to choose from by the Bayesian information
// criterion; one number if both ends are the same.
type Range struct{ Min, Max int }

// Validate reports a range without a number of components in it.
func (r Range) Validate() error {
	if r.Min < 1 || r.Max < r.Min || r.Max > maxComponents {
		return fmt.Errorf("components: want a number or a range within 1 to %d, got %d to %d", maxComponents, r.Min, r.Max)
	}
	return nil
}

// Choice is a mixture that was fitted to choose from.
type Choice struct {
	Mixture *gmm.Mixture
	// MeanLogLik is that of the rows that it was fitted to, in nats.
	MeanLogLik float64
	// Iterations of EM were run; Converged says that the tolerance was met.
	Iterations int
	Converged  bool
}

// BIC returns −2 ln L + P ln N for N rows with the choice's mean log-likelihood.
func (c Choice) BIC(rows float64) float64 {
	return -float64(2*rows*c.MeanLogLik) + float64(float64(c.Mixture.FreeParameters())*portable.Log(rows))
}

// Select is TrainGMM of Algorithm 4.1: it fits a mixture of every number of components
// in the range by EM from a k-means++ start and returns all, with the index of the one
// of least BIC. There are never more components than rows. The seed gives the starts.
func Select(x *mat.Dense, r Range, em gmm.EM, seed [32]byte) (choices []Choice, best int, err error) {
	if err := r.Validate(); err != nil {
		return nil, 0, err
	}
	rows, _ := x.Dims()
	for k := min(r.Min, rows); k <= min(r.Max, rows); k++ {
		fit, err := gmm.Fit(x, k, em, source(seed, "start", k))
		if err != nil {
			return nil, 0, fmt.Errorf("%d components: %w", k, err)
		}
		choice, err := choiceOf(fit, x)
		if err != nil {
			return nil, 0, err
		}
		choices = append(choices, choice)
	}
	return choices, leastBIC(choices, x), nil
}

func choiceOf(fit *gmm.Fitted, x *mat.Dense) (Choice, error) {
	mean, err := fit.Mixture.MeanLogLik(gmm.Matrix(x))
	return Choice{fit.Mixture, mean, len(fit.Trace), fit.Converged}, err
}

// leastBIC returns the index of the choice of least BIC for the rows of x.
func leastBIC(choices []Choice, x *mat.Dense) (best int) {
	rows, _ := x.Dims()
	for i, c := range choices {
		if c.BIC(float64(rows)) < choices[best].BIC(float64(rows)) {
			best = i
		}
	}
	return best
}

// source returns a source of its own for a purpose and a number.
func source(seed [32]byte, purpose string, n int) rand.Source {
	b := append(append([]byte("collabdict/fedgen/"), purpose...), 0)
	b = binary.BigEndian.AppendUint64(b, uint64(n))
	return rand.NewChaCha8(sha256.Sum256(append(b, seed[:]...)))
}
