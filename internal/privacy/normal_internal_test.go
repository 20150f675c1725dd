package privacy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// chiSquare draws, and returns χ² of the observed against the expected frequency of each
// integer, and the number of cells. Integers expected less than ten times share one cell.
func chiSquare(draws int, from, to int64, expected func(n int64) float64, draw func() int64) (square float64, cells int) {
	counts := map[int64]float64{}
	for range draws {
		counts[draw()]++
	}
	restCount, restWant := float64(draws), float64(draws)
	for n := from; n <= to; n++ {
		want := float64(draws) * expected(n)
		if want < 10 {
			continue
		}
		square += (counts[n] - want) * (counts[n] - want) / want
		restCount, restWant = restCount-counts[n], restWant-want
		cells++
	}
	if restWant > 1 {
		square += (restCount - restWant) * (restCount - restWant) / restWant
		cells++
	}
	return square, cells
}

// highest returns the quantile of χ² that is exceeded once in ten thousand (Wilson and
// Hilferty).
func highest(cells int) float64 {
	n := float64(cells - 1)
	c := 1 - 2/(9*n) + 3.72*math.Sqrt(2/(9*n))
	return n * c * c * c
}

// Each integer is drawn with the probability that it is nearest to a normal number, whatever is
// added to the number. With a large scale, only a few digits distinguish the cells.
func TestRoundedNormalHasItsProbabilities(t *testing.T) {
	for _, c := range []struct{ at, scale float64 }{{0, 0.5}, {0.25, 1}, {-0.5, 1.7}, {0.4999, 3}, {0.1, 20}} {
		src := rand.NewPCG(7, uint64(c.scale*10))
		below := func(z float64) float64 { return 0.5 * math.Erfc(-(z-c.at)/c.scale/math.Sqrt2) }
		square, cells := chiSquare(1<<17, -200, 200, func(n int64) float64 {
			return below(float64(n)+0.5) - below(float64(n)-0.5)
		}, func() int64 { return drawNormal(src).nearest(c.at, c.scale) })
		if square > highest(cells) {
			t.Errorf("%g + %g z: χ² is %.1f for %d cells, want at most %.1f", c.at, c.scale, square, cells, highest(cells))
		}
	}
}

func TestMomentsOfNormal(t *testing.T) {
	src, sums := rand.NewPCG(3, 4), [4]float64{}
	const draws, scale = 1 << 17, 1 << 20
	for range draws {
		z := float64(drawNormal(src).nearest(0, scale)) / scale
		for i, p := 0, z; i < len(sums); i, p = i+1, p*z {
			sums[i] += p / draws
		}
	}
	want := [4]float64{0, 1, 0, 3}
	for i, deviation := range [4]float64{1, math.Sqrt(2), math.Sqrt(15), math.Sqrt(96)} { // of one draw
		if off := math.Abs(sums[i]-want[i]) * math.Sqrt(draws) / deviation; off > 4 {
			t.Errorf("moment %d is %.4f, %.1f standard errors from %g", i+1, sums[i], off, want[i])
		}
	}
}

// The trials on which everything else is based succeed with their probabilities.
func TestTrialsHaveTheirProbabilities(t *testing.T) {
	const draws = 1 << 18
	src := rand.NewPCG(5, 6)
	often := func(name string, want float64, trial func() bool) {
		n := 0.0
		for range draws {
			if trial() {
				n++
			}
		}
		if off := math.Abs(n/draws-want) / math.Sqrt(want*(1-want)/draws); off > 4 {
			t.Errorf("%s: %.5f of the trials succeed, %.1f standard errors from %.5f", name, n/draws, off, want)
		}
	}
	often("exp(-1/2)", math.Exp(-0.5), func() bool { return rootOfE(src) })
	for _, k := range []uint64{0, 1, 5} {
		for _, x := range []float64{0.125, 0.9375} {
			f := float64(k)
			often("x", math.Exp(-x*(2*f+x)/(2*f+2)), func() bool {
				return (&fraction{src: src, words: []uint64{uint64(x * (1 << 63) * 2)}}).accepted(k)
			})
		}
	}
	square, cells := chiSquare(draws, 0, 6, func(int64) float64 { return 1.0 / 7 }, func() int64 { return int64(uniform(src, 7)) })
	if square > highest(cells) {
		t.Errorf("below 7: χ² is %.1f", square)
	}
}

// The drawn digits decide on which side of a border a number is, however near the border is:
// the first word leaves it open, the second does not.
func TestDigitsDecide(t *testing.T) {
	for _, second := range []uint64{0, 1 << 63, math.MaxUint64} {
		n := normal{whole: 2, part: &fraction{src: rand.NewPCG(1, 1), words: []uint64{1<<63 - 1, second}}}
		if got := n.nearest(0, 1); got != 2 {
			t.Errorf("2.5 less a little is nearest to %d", got)
		}
		n.part = &fraction{src: rand.NewPCG(1, 1), words: []uint64{1 << 63, second, 1}}
		if got := n.nearest(0, 1); got != 3 {
			t.Errorf("2.5 and a little is nearest to %d", got)
		}
		n.negative = true
		if got := n.nearest(0, 1); got != -3 {
			t.Errorf("-2.5 less a little is nearest to %d", got)
		}
		if got := n.nearest(-0x1p-600, 1); got != -3 {
			t.Errorf("-2.5 less a little and less is nearest to %d", got)
		}
	}
}

func BenchmarkNoisy(b *testing.B) {
	src := rand.NewChaCha8([32]byte{})
	for b.Loop() {
		Noisy(3.7, 1.3, src)
	}
}
