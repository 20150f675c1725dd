package session

import (
	"math/rand/v2"
	"testing"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/graph"
)

// benchmarkWords is the length of the vectors. Throughput counts one vector; the others are
// read in addition.
const benchmarkWords = 1 << 17

func BenchmarkAdd(b *testing.B) {
	for _, a := range []chunking.Arithmetic{chunking.Ring, chunking.Ring128, chunking.Field} {
		b.Run(string(a), func(b *testing.B) {
			xs := uniform(rand.New(rand.NewPCG(1, 1)), 2, benchmarkWords/limbs(a), a)
			sum := make([]uint64, benchmarkWords)
			b.SetBytes(8 * benchmarkWords)
			for b.Loop() {
				add(a, sum, xs[0], xs[1])
			}
		})
	}
}

// A member with four neighbours, in an iteration with the Chebyshev weights.
func BenchmarkMix(b *testing.B) {
	xs := normal(rand.New(rand.NewPCG(1, 1)), 6, benchmarkWords)
	m := mixing{x: xs[0], before: xs[1], others: xs[2:], weights: []float64{1, 1, 1, 1}, alpha: 0.24, omega: 1.2}
	b.SetBytes(8 * benchmarkWords)
	b.ReportAllocs()
	for b.Loop() {
		m.vector()
	}
}

func BenchmarkReceiveCheck(b *testing.B) {
	x := normal(rand.New(rand.NewPCG(1, 1)), 1, benchmarkWords)[0]
	b.SetBytes(8 * benchmarkWords)
	for b.Loop() {
		if checkFinite(x) != "" {
			b.Fatal("not finite")
		}
	}
}

// All 16 members of a view, one vector of 1 MB each.
func BenchmarkView(b *testing.B) {
	const size, words = 16, benchmarkWords
	for _, p := range []Plan{
		must[*Exchange](b)(NewFoldIn(size, 1, chunking.Ring)),
		must[*Exchange](b)(NewFoldIn(size, 3, chunking.Ring)),
		must[*Exchange](b)(NewBaseK(size, 1)),
		must[*Circulant](b)(NewCirculant(size, chunking.Ring)),
		must[*Laplacian](b)(NewLaplacian(size, Chebyshev, graph.HamiltonCycles, 4, 1e-9)),
	} {
		b.Run(p.Name(), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			xs := vectors(rng, p, words)
			b.SetBytes(8 * size * words)
			var traffic Traffic
			for b.Loop() {
				_, traffic = lockstep(b, open(rng, p, xs))
			}
			b.ReportMetric(float64(traffic.Words[0])/words, "vectors/member")
		})
	}
}
