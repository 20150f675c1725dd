package fedgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/gmm"
)

// No row in the cube changes a kind of sums by more than its scale, whatever its
// responsibilities are; corners that are in one component alone change them by that.
func TestSensitivity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim, k := rapid.IntRange(1, 5).Draw(t, "columns"), rapid.IntRange(1, 4).Draw(t, "components")
		form := gmm.Covariance(rapid.IntRange(0, 2).Draw(t, "form"))
		value := rapid.OneOf(rapid.Float64Range(-1, 1), rapid.SampledFrom([]float64{-1, 1}))
		row := mat.NewDense(1, dim, rapid.SliceOfN(value, dim, dim).Draw(t, "row"))
		r := mat.NewDense(1, k, nil)
		left := 1.0
		for c := range k {
			share := rapid.Float64Range(0, 1).Draw(t, "share")
			if c == k-1 {
				share = 1
			}
			r.Set(0, c, left*share)
			left -= left * share
		}
		e := &privateEM{z: row, sigma: 0x1p-60, model: unitStart(k, dim, form, [32]byte{}), noise: rand.NewPCG(1, 1)}
		corner := true
		for _, v := range row.RawRowView(0) {
			corner = corner && math.Abs(v) == 1
		}
		check(t, e, r, corner && mat.Max(r) == 1)
	})
}

func check(t *rapid.T, e *privateEM, r *mat.Dense, most bool) {
	dim := e.model.Dim()
	var n, first, second float64
	for _, s := range e.sums(r) {
		n += s.n * s.n
		for _, v := range s.first {
			first += v * v
		}
		for at, v := range s.second {
			if e.model.Form != gmm.Full || at/dim <= at%dim {
				second += v * v
			}
		}
	}
	scale1, scale2 := e.scales()
	for _, length := range []float64{math.Sqrt(n), math.Sqrt(first) / scale1, math.Sqrt(second) / scale2} {
		if length > 1+1e-12 || most && length < 1-1e-12 {
			t.Fatalf("a row changes sums by %g units (the most: %t)", length, most)
		}
	}
}
