package fedgen

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// Range is a range of numbers of components, from which the Bayesian information criterion
// chooses. With equal ends it is one number.
type Range struct{ Min, Max int }

// Choice is a fitted mixture that may be chosen.
type Choice struct {
	Mixture *gmm.Mixture
	// MeanLogLik is the mean log-likelihood of the rows it was fitted to, in nats.
	MeanLogLik float64
}

// BIC returns −2 ln L + P ln N for N rows with the choice's mean log-likelihood.
func (c Choice) BIC(rows float64) float64 {
	return -float64(2*rows*c.MeanLogLik) + float64(float64(c.Mixture.FreeParameters())*portable.Log(rows))
}

// Select is TrainGMM of Algorithm 4.1. It fits a mixture of every number of components in the
// range, up to the number of rows, by EM from k-means++ starts. It returns all of them, with
// the index of the one of smallest BIC. The seed determines the starts.
func Select(x *mat.Dense, r Range, em gmm.EM, seed [32]byte) (choices []Choice, best int, err error) {
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
	return Choice{fit.Mixture, mean}, err
}

// leastBIC returns the index of the choice with the smallest BIC for the rows of x.
func leastBIC(choices []Choice, x *mat.Dense) (best int) {
	rows, _ := x.Dims()
	for i, c := range choices {
		if c.BIC(float64(rows)) < choices[best].BIC(float64(rows)) {
			best = i
		}
	}
	return best
}

// source returns a separate random source for each purpose and number.
func source(seed [32]byte, purpose string, n int) rand.Source {
	b := append(append([]byte("collabdict/fedgen/"), purpose...), 0)
	b = binary.BigEndian.AppendUint64(b, uint64(n))
	return rand.NewChaCha8(sha256.Sum256(append(b, seed[:]...)))
}
