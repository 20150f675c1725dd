// Package gmmtest has what the tests of the mixtures' packages share.
package gmmtest

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// Open returns the content of a gzipped file under the package's testdata.
func Open(t testing.TB, name string) io.Reader {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return z
}

// ReadJSON decodes a gzipped file under the package's testdata.
func ReadJSON(t testing.TB, name string, to any) {
	t.Helper()
	if err := json.NewDecoder(Open(t, name)).Decode(to); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

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

// Bits reports whether two vectors have the same bits.
func Bits(a, b []float64) bool {
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// Together calls f for every member of a group of n, in lock step.
func Together(t testing.TB, n int, f func(g collabdict.Group, rank int) error) {
	t.Helper()
	err := lockstep.Run(t.Context(), n, func(_ context.Context, g collabdict.Group, rank int) error { return f(g, rank) })
	if err != nil {
		t.Fatal(err)
	}
}
