package chunking

import (
	"math"
	"testing"

	"github.com/collabdict/collabdict"
	"pgregory.net/rapid"
)

// exchange hands out seeds as the members of a view do and returns the residues.
func exchange(xs [][]float64, blocks []collabdict.Block, fanout int, entropy byte) [][]float64 {
	size := len(xs)
	handedOut := make([][]Chunk, size)
	received := make([][]Chunk, size)
	for s := range size {
		c := Context{Slot: 7, From: s}
		secret := [32]byte{entropy, byte(s)}
		for _, to := range Partners(secret, c, size, fanout) {
			c.To = to
			chunk := Chunk{Context: c, Seed: Seed(secret, c)}
			handedOut[s] = append(handedOut[s], chunk)
			received[to] = append(received[to], chunk)
		}
	}
	ys := make([][]float64, size)
	for s := range size {
		ys[s] = Residue(xs[s], blocks, handedOut[s], received[s])
	}
	return ys
}

func TestResiduesAddUpToTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(2, 30).Draw(t, "size")
		fanout := Fanout(size, rapid.IntRange(2, 20).Draw(t, "chunks"))
		blocks := []collabdict.Block{{Len: 3, Bound: 1000}, {Len: 0, Bound: 1}, {Len: 2, Bound: 1e-3}}
		xs := make([][]float64, size)
		for s := range xs {
			for _, b := range blocks {
				for range b.Len {
					xs[s] = append(xs[s], b.Bound*rapid.Float64Range(-1, 1).Draw(t, "x"))
				}
			}
		}
		ys := exchange(xs, blocks, fanout, rapid.Byte().Draw(t, "entropy"))
		for i := range xs[0] {
			var want, got float64
			for s := range size {
				want += xs[s][i]
				got += ys[s][i]
			}
			bound := 1000.0
			if i >= 3 {
				bound = 1e-3
			}
			// Each addition rounds at 2^-53 of values of about Spread*bound*sqrt(2*fanout).
			tolerance := math.Ldexp(bound, -30) * float64(size)
			if math.Abs(got-want) > tolerance {
				t.Fatalf("coordinate %d: residues add up to %g, want %g within %g", i, got, want, tolerance)
			}
		}
	})
}

func TestResiduesHideTheVector(t *testing.T) {
	const size, length = 5, 4000
	blocks := []collabdict.Block{{Len: length, Bound: 2}}
	xs := make([][]float64, size)
	for s := range xs {
		xs[s] = make([]float64, length)
		for i := range xs[s] {
			xs[s][i] = 2
		}
	}
	for s, y := range exchange(xs, blocks, Fanout(size, 0), 3) {
		var mean, square float64
		for _, v := range y {
			mean += v / length
			square += v * v / length
		}
		// A residue is the sum of 4 chunks handed out and 4 received.
		sigma := Spread * 2 * math.Sqrt(8)
		if math.Abs(mean) > 5*sigma/math.Sqrt(length) || math.Abs(math.Sqrt(square)/sigma-1) > 0.1 {
			t.Errorf("member %d: residue has mean %g and deviation %g, want 0 and %g", s, mean, math.Sqrt(square), sigma)
		}
	}
}

func TestChunksDifferWithTheirContext(t *testing.T) {
	blocks := []collabdict.Block{{Len: 1, Bound: 1}}
	base := Context{Slot: 1, From: 1, To: 2}
	variants := []Context{base, base, base, base, base, base}
	variants[1].Slot++
	variants[2].Ballot++
	variants[3].From = 3
	variants[4].To = 3
	variants[5].Run[0] = 1
	seen := map[float64]int{}
	for i, c := range variants {
		y := Residue([]float64{0}, blocks, nil, []Chunk{{Context: c}})
		if j, ok := seen[y[0]]; ok {
			t.Errorf("contexts %d and %d give the same chunk", i, j)
		}
		seen[y[0]] = i
	}
}

func TestPartnersAreDistinctOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(2, 40).Draw(t, "size")
		self := rapid.IntRange(0, size-1).Draw(t, "self")
		fanout := rapid.IntRange(1, size-1).Draw(t, "fanout")
		partners := Partners([32]byte{rapid.Byte().Draw(t, "entropy")}, Context{From: self}, size, fanout)
		if len(partners) != fanout {
			t.Fatalf("got %d partners, want %d", len(partners), fanout)
		}
		last := -1
		for _, p := range partners {
			if p == self || p <= last || p >= size {
				t.Fatalf("partners of %d among %d: %v", self, size, partners)
			}
			last = p
		}
	})
}

func TestFanout(t *testing.T) {
	for _, c := range []struct{ size, chunks, want int }{
		{5, 0, 4}, {16, 0, 15}, {17, 0, 16}, {1000, 0, 16}, {5, 3, 2}, {5, 9, 4}, {2, 2, 1},
	} {
		if got := Fanout(c.size, c.chunks); got != c.want {
			t.Errorf("Fanout(%d, %d) = %d, want %d", c.size, c.chunks, got, c.want)
		}
	}
}

func TestBreachProbabilityAgainstCounting(t *testing.T) {
	for _, c := range []struct{ size, fanout, colluders int }{{6, 1, 2}, {6, 2, 3}, {8, 2, 5}, {5, 4, 3}, {5, 4, 4}} {
		const trials = 20000
		breached := 0
		for trial := range trials {
			out := make([][]int, c.size)
			for s := range out {
				out[s] = Partners([32]byte{byte(trial), byte(trial >> 8), byte(s)}, Context{From: s}, c.size, c.fanout)
			}
			breached += boolToInt(isolated(out, c.colluders))
		}
		want := BreachProbability(c.size, c.fanout, c.colluders)
		got := float64(breached) / trials
		if math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/trials)+1e-12 {
			t.Errorf("size %d, fanout %d, %d colluders: counted %g, predicted %g", c.size, c.fanout, c.colluders, got, want)
		}
	}
}

// isolated says whether the last member shares seeds with none but the colluders,
// the first members.
func isolated(out [][]int, colluders int) bool {
	last := len(out) - 1
	for _, p := range out[last] {
		if p >= colluders {
			return false
		}
	}
	for s := colluders; s < last; s++ {
		for _, p := range out[s] {
			if p == last {
				return false
			}
		}
	}
	return true
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
