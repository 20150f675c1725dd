package discrepancy

import (
	"math"
	"strings"
	"testing"
)

// The wanted values come from quadrature with 30 digits, between the points at which n·Φ is whole.
func TestExpectedW1(t *testing.T) {
	for n, want := range map[int]float64{
		1: 1.1283791671, 2: 0.828440680786, 3: 0.68820423496, 10: 0.390643937287, 50: 0.178957958205, 100: 0.127249931684,
	} {
		if got := expectedW1(n); math.Abs(got-want) > 1e-6 {
			t.Errorf("of %d values: %.12f, want %.12f", n, got, want)
		}
	}
	// By the central limit theorem, the limit is √(2/π) ∫ √(Φ(1−Φ)).
	if got := math.Sqrt(1e9) * expectedW1(1e9); math.Abs(got-1.2883791903) > 1e-4 {
		t.Errorf("times the root of the size %.6f in the limit", got)
	}
}

// Samples of the prior have a mean debiased discrepancy of 0, whatever their size. Without
// debiasing, it is far from 0.
func TestLatentOfThePrior(t *testing.T) {
	const samples = 400
	for _, n := range []int{5, 40, 300} {
		var plain, debiased, squares float64
		for s := range uint64(samples) {
			z := normals(2*n, 100*uint64(n)+s)
			p, err := Latent(z, 2, false)
			if err != nil {
				t.Fatal(err)
			}
			d, _ := Latent(z, 2, true)
			plain += p / samples
			debiased += d / samples
			squares += d * d / samples
		}
		deviation := math.Sqrt(squares / samples)
		if math.Abs(debiased) > 4*deviation || plain < 20*deviation {
			t.Errorf("%d rows: mean %.4f, debiased %.4f ± %.4f", n, plain, debiased, deviation)
		}
	}
}

func TestLatentIsTheMeanOverVariables(t *testing.T) {
	z := []float64{0.5, 2, -1, 3, 0.25, -8}
	first, _ := order1([]float64{0.5, -1, 0.25})
	second, _ := order1([]float64{2, 3, -8})
	single := make([]float32, len(z))
	for i, v := range z {
		single[i] = float32(v)
	}
	d, err := Latent(z, 2, false)
	e, errSingle := Latent(single, 2, false)
	if err != nil || errSingle != nil || math.Abs(d-(first+second)/2) > 1e-15 || d != e {
		t.Errorf("got %v, %v and %v, %v", d, err, e, errSingle)
	}
	if d, _ := Latent(z, 2, true); math.Abs(d-(first+second)/2+expectedW1(3)) > 1e-15 {
		t.Errorf("debiased %v", d)
	}
	z[3] = math.NaN()
	if _, err := Latent(z, 2, false); err == nil || !strings.Contains(err.Error(), "got NaN for variable 2 of row 2") {
		t.Errorf("got %v", err)
	}
	if _, err := Latent([]float64{}, 2, true); err == nil || !strings.Contains(err.Error(), "at least one encoded row") {
		t.Errorf("got %v", err)
	}
}

func TestLabels(t *testing.T) {
	var known struct {
		Counts [][]int
		KL     []float64
	}
	readExamples(t, "testdata/labels.json", &known)
	for i, counts := range known.Counts {
		if d, err := Labels(counts); err != nil || math.Abs(d-known.KL[i]) > 1e-15 {
			t.Errorf("%v: got %v, %v, want %v", counts, d, err, known.KL[i])
		}
	}
	for want, counts := range map[string][]int{
		"got none in 2 classes": {0, 0}, "got -1 of class 2 of 2": {3, -1}, "got none in 0 classes": nil,
	} {
		if _, err := Labels(counts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %q", counts, err, want)
		}
	}
}

// For rows one deviation away from the prior, the distance has little of the bias that debiasing
// subtracts.
func TestLatentFarFromThePrior(t *testing.T) {
	const (
		samples = 400
		n       = 40
	)
	plain := 0.0
	for s := range uint64(samples) {
		z := normals(n, s)
		for i := range z {
			z[i]++
		}
		d, err := Latent(z, 1, false)
		if err != nil {
			t.Fatal(err)
		}
		plain += d / samples
	}
	if bias := plain - 1; math.Abs(bias) > 0.15*expectedW1(n) {
		t.Errorf("mean %.4f, want 1 and less than a sixth of %.4f", plain, expectedW1(n))
	}
}
