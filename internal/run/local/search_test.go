package local

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/testkit"
)

// A search gives the bits of a comparison with all rows.
func TestSearchesHaveTheSameBits(t *testing.T) {
	testkit.SkipRaced(t) // the search itself starts no goroutine
	random := rand.New(rand.NewPCG(1, 1))
	gaussian := func(int, int) float64 { return random.NormFloat64() }
	for name, of := range map[string]func(i, j int) float64{
		"gaussian":  gaussian,
		"few":       func(int, int) float64 { return float64(random.IntN(3)) },
		"alike":     func(int, int) float64 { return 7 },
		"shifted":   func(int, int) float64 { return 1e6 + random.NormFloat64() },
		"tiny":      func(int, int) float64 { return 1e-21 * random.NormFloat64() },
		"far":       func(i, _ int) float64 { return random.NormFloat64() * math.Pow(10, float64(i%50/49*9)) },
		"too far":   func(i, _ int) float64 { return random.NormFloat64() * math.Pow(10, float64(i%50/49*60)) },
		"too large": func(int, int) float64 { return 1e30 * random.NormFloat64() },
		"clusters":  func(i, j int) float64 { return float64(i%7*(j%3)) + 0.01*random.NormFloat64() },
	} {
		for _, dim := range []int{1, 38} {
			kept, x := mat.NewDense(searchedAmong+77, dim, nil), mat.NewDense(3*searchedAtOnce+5, dim, nil)
			for _, m := range []*mat.Dense{kept, x} {
				m.Apply(func(i, j int, _ float64) float64 { return of(i, j) }, m)
			}
			x.SetRow(3, kept.RawRowView(9))
			x.Set(40, 0, math.NaN())
			x.Set(70, dim-1, 1e60)
			n := NewNearest(kept)
			if got := n.search != nil; got != (name != "too large") {
				t.Errorf("%s: searches: %t", name, got)
			}
			all := &Nearest{rows: kept}
			for _, own := range []bool{false, true} {
				of := x
				if own {
					of = kept
				}
				got, want := n.scores(of, own), all.scores(of, own)
				for i := range want {
					if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
						t.Fatalf("%s, %d columns, own %t, row %d: %g, want %g", name, dim, own, i, got[i], want[i])
					}
				}
			}
		}
	}
}
