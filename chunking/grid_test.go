package chunking

import (
	"math"
	"testing"

	"github.com/collabdict/collabdict"
)

// The values of a mask in Float have mean 0 and the stated deviation. Their low-order digits
// are uniform for small and large values, so they hide the digits of a vector's value.
func TestFloatMasksAreSpreadOverTheWholeGrid(t *testing.T) {
	const length = 1 << 17
	l := mustLayout(t, Float, 2, collabdict.Block{Len: length, Bound: 1})
	var mean, square float64
	digits := make([]float64, 256)
	small := make([]float64, 16) // low-order digits of values that are small by chance
	smalls := 0.0
	for _, w := range expansion(l, Mask{Purpose: ForChunk, Seed: [32]byte{5}}) {
		v := int64(w)
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

// No residue can leave 64 bits, whatever its masks: MaxFanout chunks dealt, MaxFanout received,
// and a pad.
func TestResiduesFit(t *testing.T) {
	const largest = terms << (chunkBits - 1) // largest absolute value of a mask
	worst := (2*MaxFanout+1)*float64(largest) + 0x1p33
	if worst >= 0x1p63 {
		t.Errorf("a residue may be as large as %g units", worst)
	}
	if got := Fanout(1000, 900); got != MaxFanout {
		t.Errorf("a member of 1000 may hand out %d chunks", got)
	}
}

func TestScale(t *testing.T) {
	for _, c := range []struct{ bound, want float64 }{
		{1, 1}, {0.75, 1}, {32, 32}, {32 * (1 + 1e-6), 32}, {31.9, 32}, {32.1, 64}, {33, 64}, {0x1p-700, 0x1p-700}, {1e-300, 0x1p-800}, {1e300, 0x1p900},
	} {
		if got := Scale(c.bound); got != c.want {
			t.Errorf("Scale(%g) = %g, want %g", c.bound, got, c.want)
		}
	}
}
