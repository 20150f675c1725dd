package discrepancy

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"pgregory.net/rapid"

	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

func readExamples(t *testing.T, path string, to any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func distances(t interface{ Fatal(...any) }, x []float64) (w1, w2 float64) {
	w1, err := order1(x)
	if err != nil {
		t.Fatal(err)
	}
	w2, err = order2(x)
	if err != nil {
		t.Fatal(err)
	}
	return w1, w2
}

func TestKnownDistances(t *testing.T) {
	var known struct {
		Samples []struct {
			Name        string
			X           []float64
			W1, W2      float64
			ReferenceW1 float64 `json:"scipy_w1"`
		}
	}
	readExamples(t, "testdata/wasserstein.json", &known)
	if len(known.Samples) != 8 {
		t.Fatalf("%d samples", len(known.Samples))
	}
	for _, s := range known.Samples {
		w1, w2 := distances(t, s.X)
		if math.Abs(w1-s.W1) > 1e-13*(1+s.W1) || math.Abs(w2-s.W2) > 1e-12*(1+s.W2) {
			t.Errorf("%s: got %v and %v, want %v and %v", s.Name, w1, w2, s.W1, s.W2)
		}
		if math.Abs(w1-s.ReferenceW1) > 1e-6 {
			t.Errorf("%s: got %v, by a million quantiles %v", s.Name, w1, s.ReferenceW1)
		}
	}
}

// W1 and W2 change by no more than the distance that a sample moves. W1 is at most W2, and does not
// depend on the order or the sign of the values.
func TestDistancesAreDistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-50, 50), 1, 40).Draw(t, "x")
		before := slices.Clone(x)
		w1, w2 := distances(t, x)
		if !slices.Equal(x, before) {
			t.Fatal("the sample has been changed")
		}
		if w1 > w2+1e-12 {
			t.Fatalf("W1 %g is above W2 %g", w1, w2)
		}
		slices.Reverse(x)
		if again, _ := distances(t, x); again != w1 {
			t.Fatalf("in another order %g, want %g", again, w1)
		}
		moved, first, second := slices.Clone(x), 0.0, 0.0
		for i := range moved {
			step := rapid.Float64Range(-2, 2).Draw(t, "step")
			moved[i] += step
			first += math.Abs(step) / float64(len(x))
			second += step * step / float64(len(x))
		}
		m1, m2 := distances(t, moved)
		if math.Abs(m1-w1) > first+1e-12 || math.Abs(m2-w2) > math.Sqrt(second)+1e-12 {
			t.Fatalf("moved by %g and %g, W1 from %g to %g, W2 from %g to %g", first, math.Sqrt(second), w1, m1, w2, m2)
		}
		for i := range x {
			x[i] = -x[i]
		}
		if mirrored, _ := distances(t, x); math.Abs(mirrored-w1) > 1e-12*(1+w1) {
			t.Fatalf("mirrored %g, want %g", mirrored, w1)
		}
	})
}

// Quantiles of the normal distribution have a distance near 0, and values far away a distance near
// their size.
func TestDistancesOfExtremes(t *testing.T) {
	quantiles := make([]float64, 20000)
	for i := range quantiles {
		quantiles[i] = mathext.NormalQuantile((float64(i) + 0.5) / float64(len(quantiles)))
	}
	w1, w2 := distances(t, quantiles)
	if w1 > 3e-4 || w2 > 5e-3 || w1 <= 0 || w2 <= 0 {
		t.Errorf("of quantiles %g and %g", w1, w2)
	}
	for _, far := range []float64{40, -40, 1e9, -1e60, 1e150} {
		w1, w2 := distances(t, []float64{far, far})
		if math.Abs(w1/math.Abs(far)-1) > 1e-3 || math.Abs(w2/math.Abs(far)-1) > 1e-3 {
			t.Errorf("of %g: %g and %g", far, w1, w2)
		}
	}
	for want, x := range map[string][]float64{
		"at least one value, got none": nil,
		"got NaN as number 2 of 3":     {0, math.NaN(), 1},
		"got -Inf as number 1 of 1":    {math.Inf(-1)},
	} {
		for _, f := range []func([]float64) (float64, error){order1, order2} {
			if _, err := f(x); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		}
	}
}

// W1 of a large sample is the area between the two distribution functions, summed in thin strips.
func TestDistanceOfALargeSample(t *testing.T) {
	x := normals(3000, 5)
	for i := range x {
		x[i] = 0.4 + 1.3*x[i]
	}
	w1, _ := distances(t, x)
	const step = 1e-4
	sorted, below, area := slices.Sorted(slices.Values(x)), 0, 0.0
	for v := -8.0; v < 8; v += step {
		for below < len(sorted) && sorted[below] <= v {
			below++
		}
		area += step * math.Abs(float64(below)/float64(len(sorted))-normalCDF(v))
	}
	if math.Abs(w1-area) > 1e-4 {
		t.Errorf("got %.6f, the area is %.6f", w1, area)
	}
}

func normals(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func BenchmarkW1(b *testing.B) {
	x := normals(60000, 1)
	for b.Loop() {
		if _, err := order1(x); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkW2(b *testing.B) {
	x := normals(60000, 1)
	for b.Loop() {
		if _, err := order2(x); err != nil {
			b.Fatal(err)
		}
	}
}

// order1 returns the Wasserstein distance of order 1 between the sample x, in any order, and the
// standard normal distribution: ∫ |F(t) − Φ(t)| dt with the empirical F, to rounding. It takes
// O(n log n) time and does not modify x. It returns an error if x is empty or has a value that
// is not finite.
func order1(x []float64) (float64, error) {
	s, err := ascending(x)
	if err != nil {
		return 0, err
	}
	return firstOrder(s), nil
}

// order2 is like order1 for order 2: the root mean squared distance between the quantiles of the two.
func order2(x []float64) (float64, error) {
	s, err := ascending(x)
	if err != nil {
		return 0, err
	}
	return secondOrder(s), nil
}

// ascending returns a sorted copy of x, or an error if x is no sample of finite numbers.
func ascending(x []float64) ([]float64, error) {
	if len(x) == 0 {
		return nil, fmt.Errorf("discrepancy: want a sample of at least one value, got none")
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("discrepancy: want finite values, got %g as number %d of %d", v, i+1, len(x))
		}
	}
	s := slices.Clone(x)
	sortNumbers(s)
	return s, nil
}

// secondOrder returns the root of mean x² + 1 − 2 Σ x_(i) (φ(q_{i-1}) − φ(q_i)) with the
// quantiles q_i = Φ⁻¹(i/n). Between two quantiles, the i-th smallest value meets the normal
// variable t, and ∫ t φ(t) dt = −φ(t).
func secondOrder(s []float64) float64 {
	n := len(s)
	squares, cross, left := 0.0, 0.0, 0.0
	for i, x := range s {
		right := 0.0
		if next := min(i+1, n-i-1); next > 0 { // of a pair of quantiles, the negative one has more digits
			right = normalDensity(mathext.NormalQuantile(float64(next) / float64(n)))
		}
		squares += x * x
		cross += x * (left - right)
		left = right
	}
	return math.Sqrt(math.Max(0, squares/float64(n)+1-2*cross))
}
