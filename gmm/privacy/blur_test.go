package privacy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
)

// momentsOf returns the layout of K components in columns, with all products, and one more
// value.
func momentsOf(k int, scales []float64, rows float64) (blocks []collabdict.Block) {
	blocks = append(blocks, collabdict.Block{Len: k, Bound: rows, Moment: collabdict.Counts})
	for _, s := range scales {
		blocks = append(blocks, collabdict.Block{Len: k, Bound: max(8*rows*s, 1e-9), Moment: collabdict.FirstMoments})
	}
	for i, s := range scales {
		for _, u := range scales[i:] {
			blocks = append(blocks, collabdict.Block{Len: k, Bound: max(64*rows*s*u, 1e-9), Moment: collabdict.SecondMoments})
		}
	}
	return append(blocks, collabdict.Block{Len: 1, Bound: rows})
}

func length(blocks []collabdict.Block) (n int) {
	for _, b := range blocks {
		n += b.Len
	}
	return n
}

// Noise has its nominal standard deviation in the units of each block, and adds up to 0 over
// components.
func TestBlurHasItsSize(t *testing.T) {
	const k, rows, members, colluders, repeats = 3, 100.0, 5, 1, 4000
	scales := []float64{2, 0.5}
	blocks := momentsOf(k, scales, rows)
	b := NewBlur(0.3, members, colluders, rand.NewPCG(1, 2))
	b.Scale(scales, true)
	n := length(blocks)
	x, squares := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 0.1 * float64(i+1)
	}
	for number := range uint64(repeats) {
		y := slices.Clone(x)
		b.Add(y, blocks, number, true)
		for at := 0; at+k <= n; at += k {
			if was, is := x[at]+x[at+1]+x[at+2], y[at]+y[at+1]+y[at+2]; math.Abs(was-is) > 1e-12*rows {
				t.Fatalf("values %d to %d add up to %.17g, want %.17g", at, at+k-1, is, was)
			}
		}
		for i := range y {
			squares[i] += (y[i] - x[i]) * (y[i] - x[i]) / repeats
		}
	}
	unit := []float64{1, 2, 0.5, 4, 1, 0.25}
	for i, v := range squares {
		want := 0.3 * math.Sqrt((1-1.0/k)/(members-colluders))
		if i < n-1 {
			want *= unit[i/k]
		} else {
			want = 0.3 / math.Sqrt(members-colluders)
		}
		if got := math.Sqrt(v); math.Abs(got-want) > 0.05*want {
			t.Errorf("value %d: the noise has the deviation %.4g, want %.4g", i, got, want)
		}
	}
}

// Blurred vectors stay within the bounds, and their noise follows from key and number alone.
func TestBlurredVectors(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k, dim := rapid.IntRange(1, 6).Draw(rt, "components"), rapid.IntRange(1, 4).Draw(rt, "columns")
		scales := make([]float64, dim)
		for i := range scales {
			scales[i] = rapid.SampledFrom([]float64{0, 1e-9, 1, 3e4}).Draw(rt, "scale")
		}
		rows := rapid.SampledFrom([]float64{1, 64, 1e6}).Draw(rt, "rows")
		full := rapid.Bool().Draw(rt, "all products")
		blocks := momentsOf(k, scales, rows)
		if !full {
			blocks = blocks[:1+dim]
			for _, s := range scales {
				blocks = append(blocks, collabdict.Block{Len: k, Bound: max(rows*s*s, 1e-9), Moment: collabdict.SecondMoments})
			}
		}
		x := make([]float64, length(blocks))
		at := 0
		for _, b := range blocks {
			for range b.Len {
				x[at] = b.Bound * rapid.Float64Range(-1, 1).Draw(rt, "value")
				at++
			}
		}
		seed := rapid.Uint64().Draw(rt, "seed")
		conserved := rapid.Bool().Draw(rt, "conserved")
		of := func(x []float64, number uint64) []float64 {
			b := NewBlur(0.1, 4, 1, rand.NewPCG(seed, 0))
			b.Scale(scales, full)
			y := slices.Clone(x)
			b.Add(y, blocks, number, conserved)
			return y
		}
		y := of(x, 7)
		if err := collabdict.CheckBlocks(y, blocks); err != nil {
			rt.Fatal(err)
		}
		if !slices.Equal(y, of(x, 7)) {
			rt.Error("the same vector is blurred in two ways")
		}
		for i := range x {
			x[i] /= 2 // values at their bounds have no room for noise
		}
		if slices.Equal(of(x, 7), of(x, 8)) && (!conserved || k > 1) {
			rt.Error("two vectors are blurred by the same noise")
		}
	})
}

// Blurred values lie on a grid, so digits of the original values finer than the noise do not
// show.
func TestBlurredValuesLieOnAGrid(t *testing.T) {
	blocks := momentsOf(2, []float64{1}, 64)
	b := NewBlur(0.1, 5, 1, rand.NewPCG(3, 4))
	b.Scale([]float64{1}, true)
	const grid = 0x1p-20 // no step is finer
	for number := range uint64(100) {
		x := []float64{20.123456789, 11.876543211, 1.0000000001, -1.0000000001, 3.3333333333, 2.6666666667, -5.5555555555}
		b.Add(x, blocks, number, true)
		for i, v := range x {
			if v != math.Round(v/grid)*grid {
				t.Fatalf("value %d is %.17g, no multiple of %g", i, v, grid)
			}
		}
	}
}

// There is no noise for a member that is alone, or without blur.
func TestNoBlur(t *testing.T) {
	for _, b := range []*Blur{NewBlur(0, 5, 1, rand.NewPCG(1, 1)), NewBlur(0.1, 1, 0, rand.NewPCG(1, 1)), NewBlur(0.1, 5, 1, nil)} {
		x := []float64{1.5}
		b.Scale(nil, true)
		b.Add(x, []collabdict.Block{{Len: 1, Bound: 2}}, 0, true)
		if b != nil || x[0] != 1.5 {
			t.Errorf("got %v, %v", b, x)
		}
	}
}
