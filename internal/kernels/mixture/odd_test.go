package mixture

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// A row with a NaN or infinite value has no density, with every kernel. The rows beside it keep
// theirs.
func TestRowsThatAreNotFinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, full := range []bool{true, false} {
		for _, odd := range []float64{math.NaN(), -math.NaN(), math.Float64frombits(0x7ff8000000000abc), math.Inf(1), math.Inf(-1), 1e200, -1e300} {
			x, _ := random(rng, 3, 7, full)
			rows := normals(rng, 20*7)
			rows[9*7+4] = odd
			what := fmt.Sprintf("%v full=%v", odd, full)
			eachKernel(t, what, func() [][]float64 {
				out := everything(x, [][]float64{rows}, nil)
				return append(out[:1], out[2:3]...) // log sums, and responsibilities of the first component
			})
			w := x.NewWorkspace(20)
			for _, k := range all() {
				use(k, func() { w.Load(x, rows) })
				for j, l := range w.LogSums() {
					if j == 9 && !math.IsNaN(l) && !math.IsInf(l, -1) {
						t.Errorf("%s: %s: log sum %v, want none", k.path, what, l)
					}
					if j != 9 && !(math.Abs(l) < 1e4) {
						t.Errorf("%s: %s: log sum of row %d is %v", k.path, what, j, l)
					}
				}
			}
		}
	}
}

func use(k *kernels, f func()) {
	defer func(was *kernels) { active = was }(active)
	active = k
	f()
}

// Far rows belong to the nearest component alone: the weight of the others is 0 and no denormal
// number. A component of weight 0 has no rows.
func TestWeightsAreNeverDenormal(t *testing.T) {
	x := NewModel(3, 1, false)
	x.Set(0, 0.5, []float64{0}, []float64{1}, 0)
	x.Set(1, 0.5, []float64{100}, []float64{1}, 0)
	x.Set(2, 0, []float64{0}, []float64{1}, 0)
	var rows []float64
	for v := -50.0; v < 150; v += 0.8 {
		rows = append(rows, v)
	}
	eachKernel(t, "far rows", func() [][]float64 {
		w := x.NewWorkspace(len(rows))
		w.Load(x, rows)
		for k := range 3 {
			for j, r := range w.Responsibilities(k) {
				if r != 0 && r < 1e-261 || k == 2 && r != 0 || r > 1 {
					t.Errorf("row %v has weight %v in component %d", rows[j], r, k)
				}
			}
		}
		return [][]float64{w.Responsibilities(0)}
	})
}

// The last row of a block is read to its end and no further. Remains of an earlier, longer
// block do not count.
func TestBlocksOfAnyLengthInOneWorkspace(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	x, _ := random(rng, 2, 9, true)
	long, short := normals(rng, 70*9), normals(rng, 11*9)
	eachKernel(t, "long and short", func() [][]float64 {
		w, s := x.NewWorkspace(70), x.NewSums()
		w.Load(x, long)
		w.Load(x, short)
		s.Add(w, nil)
		alone := everything(x, [][]float64{short}, nil)
		for i, v := range alone[len(alone)-2] {
			if s.sums[i] != v {
				t.Errorf("sum %d is %v after a longer block, %v alone", i, s.sums[i], v)
			}
		}
		return [][]float64{s.sums}
	})
}

func FuzzKernels(f *testing.F) {
	f.Add(uint8(3), uint8(2), uint8(9), true, []byte("any bytes are rows of float64"))
	f.Add(uint8(7), uint8(1), uint8(40), false, []byte{0xff, 0xf0, 0, 0, 0, 0, 0, 0x7f})
	f.Fuzz(func(t *testing.T, m, k, n uint8, full bool, data []byte) {
		x, _ := random(rand.New(rand.NewPCG(uint64(m), uint64(k))), 1+int(k)%4, 1+int(m)%20, full)
		rows := normals(rand.New(rand.NewPCG(uint64(n), 1)), (1+int(n)%60)*x.m)
		for i := 0; i+8 <= len(data) && i/8 < len(rows); i += 8 {
			rows[i/8] = math.Float64frombits(binary.LittleEndian.Uint64(data[i:]))
		}
		eachKernel(t, "fuzz", func() [][]float64 {
			out := everything(x, [][]float64{rows}, x.means)
			for i := 3; i < len(out); i += 3 {
				out[i] = nil // for a NaN among the entropies, the highest density depends on its place
			}
			return out
		})
	})
}
