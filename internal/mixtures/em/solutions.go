package em

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// Solutions caches the components, their mergers, and the partitions of cuts, that learners of one
// process have computed. Learners that share it and receive the same sums, as in a simulation, reuse
// each other's results instead of computing the same bits again. It is safe for concurrent use.
type Solutions struct {
	memo       parallel.Memo[[32]byte, solution]
	partitions parallel.Memo[[32]byte, partitions]
	successors parallel.Memo[[32]byte, successor]
	mergers    parallel.Memo[[32]byte, [][]int]
}

// The maximum numbers of cached values, enough for a few rounds, or for the members that are a few
// steps of a start apart.
const (
	keptSolutions  = 1024
	keptPartitions = 8
	keptSuccessors = 128
)

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

type successor struct {
	*maximised
	err error
}

// maximised returns the successor of a mixture, which the first caller computes. It must not be
// modified.
func (s *Solutions) maximised(p prior, m *gmm.Mixture, sums *passes.Moments, solve func() (*maximised, error)) (*maximised, error) {
	if s == nil {
		return solve()
	}
	before := m.Digest(false)
	x := s.successors.Of(p.keyOfSums(sums, before[:]), keptSuccessors, func() (x successor) {
		x.maximised, x.err = solve()
		return x
	})
	return x.maximised, x.err
}

// merged returns the groups into which components are merged, which the first caller computes. They must
// not be modified.
func (s *Solutions) merged(p prior, sums *passes.Moments, groups [][]int, fewest int, more float64, solve func() [][]int) [][]int {
	if s == nil {
		return solve()
	}
	return s.mergers.Of(p.keyOfSums(sums, fmt.Append(nil, groups, fewest, more)), keptSuccessors, solve)
}

// keyOfSums returns a hash of the prior, of sums, and of what else a result follows from.
func (p prior) keyOfSums(sums *passes.Moments, more []byte) [32]byte {
	h := sha256.New()
	h.Write(more)
	values := append([]float64{p.lambda0, p.rho, float64(p.steps), float64(sums.K), float64(sums.Dim)}, sums.N...)
	if p.relative != nil {
		values = append(append(values, p.relative.lambda), p.relative.variances...)
	}
	for _, v := range [][]float64{values, sums.First, sums.Second} {
		writeFloats(h, v)
	}
	return [32]byte(h.Sum(nil))
}

// partitions are those of cuts, by number of clusters, and the state of the source after its draws.
type partitions struct {
	of    map[int]partition
	after []byte
}

// cuts returns what the function cuts returns for draws from src. The partitions must not be modified.
func (s *Solutions) cuts(clusters *passes.Moments, sizes []int, src *rand.PCG) map[int]partition {
	if s == nil {
		return cuts(clusters, sizes, rand.New(src))
	}
	h := sha256.New()
	h.Write(stateOf(src))
	shape := []float64{float64(clusters.Dim), float64(clusters.K), float64(len(clusters.Second))}
	for _, n := range sizes {
		shape = append(shape, float64(n))
	}
	for _, values := range [][]float64{shape, clusters.N, clusters.First, clusters.Second} {
		writeFloats(h, values)
	}
	found := s.partitions.Of([32]byte(h.Sum(nil)), keptPartitions, func() partitions {
		own := *src
		of := cuts(clusters, sizes, rand.New(&own))
		return partitions{of, stateOf(&own)}
	})
	if err := src.UnmarshalBinary(found.after); err != nil {
		panic("em: " + err.Error()) // it is from stateOf
	}
	return found.of
}

func stateOf(src *rand.PCG) []byte {
	b, err := src.MarshalBinary()
	if err != nil {
		panic("em: " + err.Error()) // a PCG always has a state
	}
	return b
}

// writeFloats hashes values, block by block.
func writeFloats(h hash.Hash, values []float64) {
	var room [1024]byte
	for part := range slices.Chunk(values, len(room)/8) {
		h.Write(appendFloats(room[:0], part))
	}
}

func appendFloats(b []byte, values []float64) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
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
	return sha256.Sum256(appendFloats(make([]byte, 0, 8*len(values)), values))
}
