package privacy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
)

// momentsOf returns the layout of K components in columns with these root mean squares, with all
// products, and one more value.
func momentsOf(k int, rms []float64, rows float64) (blocks []collabdict.Block) {
	blocks = append(blocks, collabdict.Block{Len: k, Bound: rows, Moment: collabdict.Counts})
	for _, s := range rms {
		blocks = append(blocks, collabdict.Block{Len: k, Bound: rows * s, Moment: collabdict.FirstMoments})
	}
	for i, s := range rms {
		for _, u := range rms[i:] {
			blocks = append(blocks, collabdict.Block{Len: k, Bound: rows * s * u, Moment: collabdict.SecondMoments})
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

// Noise has its nominal standard deviation in every value, also of a single component. The mean
// of many vectors keeps half of its variance, and two vectors differ by their fresh noise.
func TestBlurHasItsSize(t *testing.T) {
	const rows, members, colluders, vectors, keys = 100.0, 5, 1, 40, 400
	for _, k := range []int{1, 3} {
		blocks := momentsOf(k, []float64{2, 1}, rows)
		n := length(blocks)
		var all, lasting, change float64
		for key := range uint64(keys) {
			b := NewBlur(0.3, members, colluders, rand.NewPCG(key, 2))
			mean, before := make([]float64, n), make([]float64, n)
			for v := range vectors {
				y := make([]float64, n)
				b.Add(y, blocks, "part", fmt.Sprint("vector ", v))
				for i, noise := range y {
					all += noise * noise / float64(n*vectors*keys)
					mean[i] += noise / vectors
					if v == 1 {
						change += (noise - before[i]) * (noise - before[i]) / float64(n*keys)
					}
				}
				before = y
			}
			for _, v := range mean {
				lasting += v * v / float64(n*keys)
			}
		}
		part := 0.3 / math.Sqrt(members-colluders)
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"a vector", all, part * part},
			{"the mean of vectors", lasting, part * part * (1 + 1.0/vectors) / 2},
			{"the change between vectors", change, part * part},
		} {
			if math.Abs(c.got/c.want-1) > 0.06 {
				t.Errorf("%d components: the noise of %s has the variance %.4g, want %.4g", k, c.what, c.got, c.want)
			}
		}
		if got := NewBlur(0.3, members, colluders, rand.NewPCG(1, 2)).Deviation(members); math.Abs(got-part*math.Sqrt(members)) > 1e-12 {
			t.Errorf("a total has the deviation %g", got)
		}
	}
}

// Blurred vectors stay within the bounds, and their noise follows from the key and the names alone.
func TestBlurredVectors(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k, dim := rapid.IntRange(1, 6).Draw(rt, "components"), rapid.IntRange(1, 4).Draw(rt, "columns")
		rms := make([]float64, dim)
		for i := range rms {
			rms[i] = rapid.SampledFrom([]float64{0x1p-200, 1e-9, 1, 3e4}).Draw(rt, "root mean square")
		}
		blocks := momentsOf(k, rms, rapid.SampledFrom([]float64{1, 64, 1e6}).Draw(rt, "rows"))
		x := make([]float64, length(blocks))
		at := 0
		for _, b := range blocks {
			for range b.Len {
				x[at] = b.Bound * rapid.Float64Range(-1, 1).Draw(rt, "value")
				at++
			}
		}
		seed := rapid.Uint64().Draw(rt, "seed")
		of := func(x []float64, vector string) []float64 {
			y := slices.Clone(x)
			NewBlur(0.1, 4, 1, rand.NewPCG(seed, 0)).Add(y, blocks, "part", vector)
			return y
		}
		y := of(x, "7")
		if err := collabdict.CheckBlocks(y, blocks); err != nil {
			rt.Fatal(err)
		}
		if !slices.Equal(y, of(x, "7")) {
			rt.Error("the same vector is blurred in two ways")
		}
		for i := range x {
			x[i] /= 2 // values at their bounds have no room for noise
		}
		if slices.Equal(of(x, "7"), of(x, "8")) {
			rt.Error("two vectors are blurred by the same noise")
		}
	})
}

// Blurred values lie on a grid, so digits of the original values finer than the noise do not
// show. A column without values stays so.
func TestBlurredValuesLieOnAGrid(t *testing.T) {
	blocks := momentsOf(2, []float64{1, 0x1p-60}, 64)
	b := NewBlur(0.1, 5, 1, rand.NewPCG(3, 4))
	const grid = 0x1p-16 // no step is finer
	for vector := range 100 {
		x := make([]float64, length(blocks))
		for i := range x {
			x[i] = math.Min(math.Pi, blocks[i/2].Bound/2)
		}
		b.Add(x, blocks, "part", fmt.Sprint(vector))
		at := 0
		for _, block := range blocks {
			for _, v := range x[at : at+block.Len] {
				if v != math.Round(v/grid)*grid || block.Bound < grid && v != 0 {
					t.Fatalf("value within %g is %.17g, want a multiple of %g", block.Bound, v, grid)
				}
			}
			at += block.Len
		}
	}
}

// There is no noise for a member that is alone, or without blur.
func TestNoBlur(t *testing.T) {
	for _, b := range []*Blur{NewBlur(0, 5, 1, rand.NewPCG(1, 1)), NewBlur(0.1, 1, 0, rand.NewPCG(1, 1)), NewBlur(0.1, 5, 1, nil)} {
		x := []float64{1.5}
		b.Add(x, []collabdict.Block{{Len: 1, Bound: 2}}, "part", "vector")
		if b != nil || x[0] != 1.5 || b.Deviation(5) != 0 {
			t.Errorf("got %v, %v", b, x)
		}
	}
}
