package mixture

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"testing"
)

// Results have the same bits on every machine and in every version. If they change, so do the
// models that members compute from the same rows.
func TestBitsAreDefined(t *testing.T) {
	for full, want := range map[bool]uint64{true: 0xf2f5768ef1c7beda, false: 0x2ac5d5c650e7e099} {
		rng := rand.New(rand.NewPCG(11, 12))
		uniform := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = 4*rng.Float64() - 2
			}
			return x
		}
		const k, m = 3, 15
		x := NewModel(k, m, full)
		copy(x.logw, []float64{-0.5, -1.25, -2}) // math.Log differs between machines
		copy(x.means, uniform(k*m))
		for i := range x.factors {
			x.factors[i] = 0.1 + rng.Float64()/4
		}
		blocks := [][]float64{uniform(200 * m), uniform(13 * m)}
		for _, kn := range all() {
			hash := fnv.New64a()
			use(kn, func() {
				for _, v := range everything(x, blocks, x.means) {
					_ = binary.Write(hash, binary.LittleEndian, v)
				}
			})
			if got := hash.Sum64(); got != want {
				t.Errorf("%s: full=%v: digest %#x, want %#x", kn.path, full, got, want)
			}
		}
	}
}
