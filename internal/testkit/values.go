package testkit

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// Dense returns a matrix with the given rows, which have the same length.
func Dense(rows [][]float64) *mat.Dense {
	d := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		d.SetRow(i, r)
	}
	return d
}

// Seed returns a source of random numbers.
func Seed(n uint64) rand.Source { return rand.NewPCG(n, 1) }

// Near fails unless |got − want| is at most tol·max(1, |want|).
func Near(t rapid.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: got %.15g, want %.15g within %g", what, got, want, tol)
	}
}

// NearAll fails unless all values are near, as by [Near].
func NearAll(t rapid.TB, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d values, want %d", what, len(got), len(want))
	}
	for i := range want {
		Near(t, what, got[i], want[i], tol)
	}
}

// Patterns draws n rows in dim variables from k correlated clusters whose proportions depend on
// which.
func Patterns(n, dim, k int, which uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(which, 77))
	x := mat.NewDense(n, dim, nil)
	for j := range n {
		c := min(rng.IntN(k), rng.IntN(1+int(which)%k))
		common := rng.NormFloat64()
		for i := range dim {
			centre := 3 * math.Cos(float64(5*c+3*i))
			x.Set(j, i, centre+0.7*common+(0.3+0.1*float64(c))*rng.NormFloat64())
		}
	}
	return x
}

// SameBits reports whether two vectors have the same bits.
func SameBits(a, b []float64) bool {
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}
