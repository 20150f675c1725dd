package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/collabdict/collabdict/internal/kernels/cpu"
)

// eachVectorKernel calls f with each kernel of this machine active in turn.
func eachVectorKernel(f func(name string)) {
	defer func(old vectorKernel) { vectors = old }(vectors)
	for _, p := range cpu.All() {
		vectors = vectorKernelOf(p)
		f(string(p))
	}
}

// definedDot computes the definition, one chain after the other.
func definedDot(x, y []float64) float64 {
	var s [chains]float64
	for i := range x {
		s[i%chains] = math.FMA(x[i], y[i], s[i%chains])
	}
	var t [8]float64
	for l := range t {
		t[l] = (s[l] + s[l+8]) + (s[l+16] + s[l+24])
	}
	return ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7])) + 0
}

func checkVectors(t *testing.T, alpha float64, x, y []float64) {
	t.Helper()
	sum := make([]float64, len(x))
	for i := range x {
		sum[i] = math.FMA(alpha, x[i], y[i])
	}
	eachVectorKernel(func(name string) {
		if got, want := Dot(x, y), definedDot(x, y); math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s: dot of %d elements is %x, want %x", name, len(x), got, want)
		}
		before := slices.Clone(y)
		AddScaled(y, alpha, x)
		sameBits(t, name+": sum of vectors", y, sum)
		copy(y, before)
	})
}

func TestVectorsOfAllLengths(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for n := range 140 {
		checkVectors(t, rng.NormFloat64(), normals(rng, n), normals(rng, n))
	}
}

// Elements beyond the end of a vector add nothing; they do not even change the sign of a zero.
func TestVectorsOfSpecialValues(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -5e-324, math.MaxFloat64, -1}
	rng := rand.New(rand.NewPCG(2, 9))
	for n := range 80 {
		x, y := make([]float64, n), make([]float64, n)
		few := 2 + rng.IntN(len(special)-1)
		for i := range x {
			x[i], y[i] = special[rng.IntN(few)], special[rng.IntN(few)]
		}
		checkVectors(t, special[rng.IntN(len(special))], x, y)
	}
}

func TestVectorsOfDifferentLengths(t *testing.T) {
	for name, f := range map[string]func(x, y []float64){
		"Dot":       func(x, y []float64) { Dot(x, y) },
		"AddScaled": func(x, y []float64) { AddScaled(x, 1, y) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of different lengths does not panic", name)
				}
			}()
			f(make([]float64, 2), make([]float64, 3))
		}()
	}
}

// FuzzVectors takes the bits of all numbers from the fuzzer.
func FuzzVectors(f *testing.F) {
	f.Add(uint8(33), 1.5, []byte("any numbers"))
	f.Add(uint8(7), math.Inf(1), []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7f})
	f.Fuzz(func(t *testing.T, n uint8, alpha float64, seed []byte) {
		draw := repeated(seed)
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = draw(), draw()
		}
		checkVectors(t, alpha, x, y)
	})
}

func BenchmarkVectors(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 9))
	for _, n := range []int{10, 38, 200, 400, 1000} {
		x, y := normals(rng, n), normals(rng, n)
		eachVectorKernel(func(name string) {
			b.Run(name+"/dot/"+fmt.Sprint(n), func(b *testing.B) {
				for b.Loop() {
					Dot(x, y)
				}
			})
			b.Run(name+"/sum/"+fmt.Sprint(n), func(b *testing.B) {
				for b.Loop() {
					AddScaled(y, 1e-9, x)
				}
			})
		})
	}
}
