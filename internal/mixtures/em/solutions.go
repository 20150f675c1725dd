package em

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// Solutions caches the components that learners of one process have computed. Learners that
// share it and receive the same sums, as in a simulation, reuse each other's results instead of
// computing the same bits again. It is safe for concurrent use.
type Solutions struct{ memo parallel.Memo[solution] }

// keptSolutions is the maximum number of cached solutions, enough for a few rounds.
const keptSolutions = 1024

type solution struct {
	component component
	err       error
}

// of returns the solution of a problem, which the first caller computes. It must not be
// modified.
func (s *Solutions) of(key [32]byte, solve func() (component, error)) (component, error) {
	x := s.memo.Of(key, keptSolutions, func() (x solution) {
		x.component, x.err = solve()
		return x
	})
	return x.component, x.err
}

// keyOf returns a hash of everything from which a solution follows.
func (p prior) keyOf(n float64, first, second []float64, start *mat.SymDense) [32]byte {
	values := append([]float64{p.lambda0, p.rho, float64(p.steps), n, float64(len(first))}, first...)
	values = append(values, second...)
	if p.relative != nil {
		values = append(append(values, p.relative.lambda), p.relative.variances...)
	}
	if start != nil {
		for i := range first {
			for j := i; j < len(first); j++ {
				values = append(values, start.At(i, j))
			}
		}
	}
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return sha256.Sum256(b)
}
