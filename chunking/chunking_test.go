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

// In units of the grid the residues add up to the vectors exactly; what is left is
// the rounding of the vectors to the grid and of each residue to float64.
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
			bound := 1000.0
			if i >= 3 {
				bound = 1e-3
			}
			u := unit(bound)
			var want, exact, units float64
			for s := range size {
				want += xs[s][i]
				exact += math.RoundToEven(xs[s][i] / u)
				units += ys[s][i] / u // in float64: off by the rounding of residues of about 2^57
			}
			if math.Abs(units-exact) > float64(size)*64 {
				t.Fatalf("coordinate %d: residues add up to %g units, want %g", i, units, exact)
			}
			if math.Abs(units*u-want) > float64(size)*65*u {
				t.Fatalf("coordinate %d: residues add up to %g, want %g", i, units*u, want)
			}
		}
	})
}

// sums returns the residues of one member in units of the grid, before they are
// rounded to float64.
func sums(length int, chunks ...Chunk) []int64 {
	sum := make([]int64, length)
	for _, c := range chunks {
		c.add(sum, 1)
	}
	return sum
}

// The values of a chunk have mean 0 and the stated deviation, and their low-order
// digits are uniform whatever their size: what a value below them would show is
// nothing.
func TestChunksAreSpreadOverTheWholeGrid(t *testing.T) {
	const length = 1 << 17
	values := sums(length, Chunk{Seed: [32]byte{5}})
	var mean, square float64
	digits := make([]float64, 256)
	small := make([]float64, 16) // of values that are small by chance
	smalls := 0.0
	for _, v := range values {
		x := float64(v) / (1 << fractionBits)
		mean += x / length
		square += x * x / length
		digits[v&255]++
		if x < Deviation/16 && x > -Deviation/16 {
			small[v&15]++
			smalls++
		}
	}
	if math.Abs(mean) > 5*Deviation/math.Sqrt(length) || math.Abs(math.Sqrt(square)/Deviation-1) > 0.01 {
		t.Errorf("mean %g, deviation %g, want 0 and %g", mean, math.Sqrt(square), float64(Deviation))
	}
	// 5 deviations of a χ² of 255 and of 15 degrees of freedom.
	if x := chiSquare(digits, length); x > 255+5*math.Sqrt(2*255) {
		t.Errorf("low-order digits: χ² = %g", x)
	}
	if x := chiSquare(small, smalls); x > 15+5*math.Sqrt(2*15) {
		t.Errorf("low-order digits of small values: χ² = %g", x)
	}
}

func chiSquare(counts []float64, total float64) (x float64) {
	want := total / float64(len(counts))
	for _, c := range counts {
		x += (c - want) * (c - want) / want
	}
	return x
}

// The expansion of a seed is part of the protocol: another one gives wrong sums
// between two versions.
func TestChunkVector(t *testing.T) {
	c := Chunk{Context: Context{Run: [32]byte{1}, Slot: 2, Ballot: 3, From: 4, To: 5}, Seed: [32]byte{6}}
	got := sums(3, c)
	want := []int64{-4446900747854081, 945938955673048, 5530910072209105}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("value %d: %d, want %d", i, got[i], want[i])
		}
	}
}

// No residue can leave 64 bits, however the chunks fall.
func TestResiduesFit(t *testing.T) {
	const largest = terms << (chunkBits - 1) // of one chunk's value, in size
	worst := 2*MaxFanout*float64(largest) + 0x1p33
	if worst >= 0x1p63 {
		t.Errorf("a residue may be as large as %g units", worst)
	}
	if got := Fanout(1000, 900); got != MaxFanout {
		t.Errorf("a member of 1000 may hand out %d chunks", got)
	}
}

func TestScale(t *testing.T) {
	for _, c := range []struct{ bound, want float64 }{
		{1, 1}, {0.75, 1}, {32, 32}, {32 * (1 + 1e-6), 32}, {31.9, 32}, {32.1, 64}, {33, 64}, {0x1p-700, 0x1p-700},
	} {
		if got := Scale(c.bound); got != c.want {
			t.Errorf("Scale(%g) = %g, want %g", c.bound, got, c.want)
		}
	}
}

func TestChunksDifferWithTheirContext(t *testing.T) {
	base := Context{Slot: 1, From: 1, To: 2}
	variants := []Context{base, base, base, base, base, base}
	variants[1].Slot++
	variants[2].Ballot++
	variants[3].From = 3
	variants[4].To = 3
	variants[5].Run[0] = 1
	seen := map[int64]int{}
	for i, c := range variants {
		v := sums(1, Chunk{Context: c})[0]
		if j, ok := seen[v]; ok {
			t.Errorf("contexts %d and %d give the same chunk", i, j)
		}
		seen[v] = i
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
			if isolated(out, c.colluders) {
				breached++
			}
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
