package graph

import (
	"math"
	"testing"
)

func TestSpectrumKnownAnswers(t *testing.T) {
	cosines := func(a float64) float64 { return 2 - 2*math.Cos(a) }
	for _, c := range []struct {
		kind                       Kind
		size, degree               int
		lambda2, lambdaMax, within float64
	}{
		{InverseChord, 7, 0, 0.885, 0, 5e-4},
		{InverseChord, 13, 0, 0.522, 0, 5e-4},
		{InverseChord, 31, 0, 0.226, 0, 5e-4},
		{InverseChord, 30, 0, 0.226, 0, 5e-4}, // on 31 vertices
		{InverseChord, 61, 0, 0.188, 0, 5e-4},
		{InverseChord, 127, 0, 0.113, 0, 5e-4},
		{InverseChord, 257, 0, 0.134, 0, 5e-4},
		{InverseChord, 509, 0, 0.0915, 0, 5e-5},
		{InverseChord, 1021, 0, 0.0899, 0, 5e-5},
		{Margulis, 256, 0, 0.887, 13.9705, 5e-4},
		{Hypercube, 32, 0, 2, 10, 1e-12},
		{Hypercube, 2048, 0, 2, 22, 3e-6},
		{Complete, 9, 0, 9, 9, 1e-12},
		{Complete, 2000, 0, 2000, 2000, 1e-12},
		{HamiltonCycles, 4, 4, 4, 4, 1e-12},
		{HamiltonCycles, 5, 4, 5, 5, 1e-12},
		{Ring, 31, 0, cosines(2 * math.Pi / 31), cosines(30 * math.Pi / 31), 1e-12},
		{Ring, 1500, 0, cosines(2 * math.Pi / 1500), 4, 5e-7},
	} {
		g, err := New(c.kind, c.size, c.degree)
		if err != nil {
			t.Fatal(err)
		}
		s, err := g.Spectrum()
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(s.Lambda2-c.lambda2) > c.within || c.lambdaMax != 0 && math.Abs(s.LambdaMax-c.lambdaMax) > c.within {
			t.Errorf("%s on %d: spectrum %+v, want λ₂ %g and λ_max %g", c.kind, c.size, s, c.lambda2, c.lambdaMax)
		}
	}
}

// A union of two cycles has λ₂ of about 0.92 at 31 vertices and 0.54 at 1000; a random
// 3-regular graph has 0.378 at 32. The best of the draws must not be below that.
func TestRandomGraphsExpand(t *testing.T) {
	for _, c := range []struct {
		kind         Kind
		size, degree int
		atLeast      float64
	}{
		{HamiltonCycles, 14, 4, 1.3},
		{HamiltonCycles, 31, 4, 0.92},
		{HamiltonCycles, 100, 4, 0.6},
		{HamiltonCycles, 999, 4, 0.54},
		{RandomRegular, 32, 3, 0.378},
		{RandomRegular, 32, 4, 1.033},
		{RandomRegular, 512, 4, 0.58},
		{RandomRegular, 1200, 4, 0.53},
	} {
		g, err := New(c.kind, c.size, c.degree)
		if err != nil {
			t.Fatal(err)
		}
		if s := g.estimate(g.Weights); s.Lambda2 < c.atLeast {
			t.Errorf("%s of degree %d on %d: λ₂ = %g, want at least %g", c.kind, c.degree, c.size, s.Lambda2, c.atLeast)
		}
	}
}

// If all vertices have degree d, I - W is L/(1+d).
func TestMetropolisOfRegularGraphs(t *testing.T) {
	for _, kind := range []Kind{Complete, Hypercube, Margulis, RandomRegular, Ring} {
		g, err := New(kind, 64, 4)
		if err != nil {
			t.Fatal(err)
		}
		l, _ := g.Spectrum()
		m, _ := g.MetropolisSpectrum()
		d := float64(1 + g.Degree())
		if math.Abs(m.Lambda2-l.Lambda2/d) > 1e-12 || math.Abs(m.LambdaMax-l.LambdaMax/d) > 1e-12 {
			t.Errorf("%s: %+v, want %+v over %g", kind, m, l, d)
		}
	}
	g, err := New(InverseChord, 31, 0)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := g.MetropolisSpectrum()
	rate := max(math.Abs(1-m.Lambda2), math.Abs(1-m.LambdaMax))
	if got := int(math.Ceil(math.Log(1e-9) / math.Log(rate))); got != 356 {
		t.Errorf("inverse-chord on 31: %d iterations to 1e-9, want 356", got)
	}
}

// Estimates are on the safe side, within a millionth.
func TestEstimatesAreThoseOfTheDenseMatrix(t *testing.T) {
	for _, c := range []struct {
		kind         Kind
		size, degree int
	}{
		{HamiltonCycles, 5, 4},
		{HamiltonCycles, 6, 4},
		{HamiltonCycles, 17, 4},
		{RandomRegular, 8, 3},
		{HamiltonCycles, 100, 4},
		{HamiltonCycles, 300, 6},
		{RandomRegular, 200, 3},
		{RandomRegular, 400, 4},
		{InverseChord, 600, 0},
		{Margulis, 400, 0},
		{Hypercube, 128, 0},
		{Ring, 300, 0},
		{Complete, 100, 0},
		{HamiltonCycles, 900, 4},
	} {
		g, err := New(c.kind, c.size, c.degree)
		if err != nil {
			t.Fatal(err)
		}
		compareEstimate(t, g, g.Weights)
		if c.size <= 300 {
			compareEstimate(t, g, g.MetropolisWeights)
		}
	}
}

func compareEstimate(t *testing.T, g *Graph, weights func(v int) []float64) {
	t.Helper()
	want, err := g.dense(weights)
	if err != nil {
		t.Fatal(err)
	}
	got := g.estimate(weights)
	if low := got.Lambda2 / want.Lambda2; !(low <= 1 && low >= 1-1e-6) {
		t.Errorf("%s on %d: λ₂ is %g, want %g or a little less", g.Kind, g.Members(), got.Lambda2, want.Lambda2)
	}
	if high := got.LambdaMax / want.LambdaMax; !(high >= 1 && high <= 1+1e-6) {
		t.Errorf("%s on %d: λ_max is %g, want %g or a little more", g.Kind, g.Members(), got.LambdaMax, want.LambdaMax)
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(HamiltonCycles, 16384, 4); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSpectrum(b *testing.B) {
	g, err := New(InverseChord, 16384, 0)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := g.Spectrum(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDiameter(b *testing.B) {
	g, err := New(InverseChord, 16384, 0)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		g.Diameter()
	}
}
