package graph

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestSpectrumKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		kind                       Kind
		size, degree, wantDegree   int
		lambda2, lambdaMax, within float64
	}{
		{InverseChord, 7, 0, 3, 0.885, 0, 5e-4},
		{InverseChord, 13, 0, 3, 0.522, 0, 5e-4},
		{InverseChord, 31, 0, 3, 0.226, 0, 5e-4},
		{InverseChord, 127, 0, 3, 0.113, 0, 5e-4},
		{Complete, 9, 0, 8, 9, 9, 1e-12},
		{HamiltonCycles, 4, 4, 3, 4, 4, 1e-12},
		{HamiltonCycles, 5, 4, 4, 5, 5, 1e-12},
		{Ring, 31, 0, 2, 2 - 2*math.Cos(2*math.Pi/31), 2 + 2*math.Cos(math.Pi/31), 1e-12},
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
		if g.Degree() != c.wantDegree {
			t.Errorf("%s on %d: degree %d, want %d", c.kind, c.size, g.Degree(), c.wantDegree)
		}
	}
}

// A union of two cycles has λ₂ of about 0.92 at 31 vertices; the best of the
// draws must not be below that.
func TestHamiltonCyclesExpand(t *testing.T) {
	for _, c := range []struct {
		size    int
		atLeast float64
	}{{14, 1.3}, {31, 0.92}, {100, 0.6}} {
		g, err := New(HamiltonCycles, c.size, 4)
		if err != nil {
			t.Fatal(err)
		}
		if s, _ := g.Spectrum(); s.Lambda2 < c.atLeast {
			t.Errorf("size %d: λ₂ = %g, want at least %g", c.size, s.Lambda2, c.atLeast)
		}
	}
}

func TestGraphsAreSimpleSymmetricAndConnected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]Kind{HamiltonCycles, InverseChord, Complete, Ring}).Draw(t, "kind")
		size := rapid.IntRange(2, 60).Draw(t, "size")
		degree := rapid.IntRange(2, 8).Draw(t, "degree")
		g, err := New(kind, size, degree)
		if err != nil {
			if kind == InverseChord && !isPrime(size) {
				return
			}
			t.Fatal(err)
		}
		again, _ := New(kind, size, degree)
		seen := map[int]bool{0: true}
		for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
			for _, w := range g.Neighbours(queue[0]) {
				if !seen[w] {
					seen[w] = true
					queue = append(queue, w)
				}
			}
		}
		if len(seen) != size {
			t.Fatalf("%d of %d vertices are connected", len(seen), size)
		}
		for v := range size {
			last := -1
			for i, w := range g.Neighbours(v) {
				if w <= last || w == v {
					t.Fatalf("neighbours of %d: %v", v, g.Neighbours(v))
				}
				last = w
				if !contains(g.Neighbours(w), v) {
					t.Fatalf("edge %d-%d has no way back", v, w)
				}
				if again.Neighbours(v)[i] != w {
					t.Fatal("two members built different graphs")
				}
			}
		}
	})
}

func contains(s []int, v int) bool {
	for _, x := range s {
		if x == v {
			return true
		}
	}
	return false
}

func TestUnknownKindAndSize(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		size int
	}{{"torus", 9}, {InverseChord, 9}, {Ring, 1}} {
		if _, err := New(c.kind, c.size, 4); err == nil {
			t.Errorf("%s on %d vertices: no error", c.kind, c.size)
		}
	}
}
