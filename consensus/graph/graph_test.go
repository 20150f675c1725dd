package graph

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// draw returns a graph of a random kind, with a size near the given one and a degree that the
// kind supports.
func draw(t *rapid.T, maxSize int) *Graph {
	kind := rapid.SampledFrom(Kinds()).Draw(t, "kind")
	size := rapid.IntRange(2, maxSize).Draw(t, "size")
	degree := rapid.IntRange(2, 12).Draw(t, "degree")
	for kind.Check(size) != nil {
		size--
	}
	g, err := New(kind, size, degree)
	if err != nil && kind == RandomRegular && size*degree%2 == 1 {
		g, err = New(kind, size, degree+1)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGraphsAreSimpleSymmetricAndConnected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := draw(t, 60)
		if !g.connected() {
			t.Fatal("not connected")
		}
		for v := range g.Len() {
			neighbours := g.Neighbours(v)
			if !slices.IsSorted(neighbours) || len(slices.Compact(slices.Clone(neighbours))) != len(neighbours) || slices.Contains(neighbours, v) {
				t.Fatalf("neighbours of %d: %v", v, neighbours)
			}
			weights, metropolis := g.Weights(v), g.MetropolisWeights(v)
			stay := 1.0
			for i, w := range neighbours {
				back, ok := slices.BinarySearch(g.Neighbours(w), v)
				if !ok || g.Weights(w)[back] != weights[i] || g.MetropolisWeights(w)[back] != metropolis[i] {
					t.Fatalf("edge %d-%d is not the same both ways", v, w)
				}
				stay -= metropolis[i]
			}
			if !(stay > 0) {
				t.Fatalf("vertex %d keeps %g of its own value", v, stay)
			}
		}
	})
}

func TestEveryMemberBuildsTheSameGraph(t *testing.T) {
	for _, c := range []struct {
		kind         Kind
		size, degree int
		want         string
	}{
		{HamiltonCycles, 31, 4, "f1e043016ea6e17c"},
		{HamiltonCycles, 300, 6, "c96aff1eb3b4d947"},
		{RandomRegular, 32, 3, "9c2f8175e50a531a"},
		{RandomRegular, 301, 4, "5bf953536f478b0e"},
	} {
		g, err := New(c.kind, c.size, c.degree)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256([]byte(fmt.Sprint(g.adj))))[:16]; got != c.want {
			t.Errorf("%s of degree %d on %d: hash %s, want %s: members with two versions would not agree", c.kind, c.degree, c.size, got, c.want)
		}
	}
}

func TestRandomRegularIsRegular(t *testing.T) {
	for size := 5; size < 24; size++ {
		for degree := 2; degree < size; degree++ {
			g, err := New(RandomRegular, size, degree)
			if size*degree%2 == 1 {
				if err == nil {
					t.Fatalf("%d members of degree %d: no error", size, degree)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for v := range size {
				if len(g.Neighbours(v)) != degree {
					t.Fatalf("%d members of degree %d: %d neighbours", size, degree, len(g.Neighbours(v)))
				}
			}
		}
	}
}

func TestGhostsAreHosted(t *testing.T) {
	for size, p := range map[int]int{5: 5, 6: 7, 8: 11, 24: 29, 31: 31, 114: 127, 1000: 1009} {
		g, err := New(InverseChord, size, 0)
		if err != nil {
			t.Fatal(err)
		}
		if g.Len() != p || g.Members() != size {
			t.Errorf("%d members: %d vertices of %d members, want %d vertices", size, g.Len(), g.Members(), p)
		}
		for v := range p {
			if want := v % size; g.Host(v) != want {
				t.Errorf("%d members: host of %d is %d, want %d", size, v, g.Host(v), want)
			}
		}
	}
}

func TestDegreeAndDiameter(t *testing.T) {
	for _, c := range []struct {
		kind             Kind
		size, degree     int
		wantDeg, wantDia int
	}{
		{InverseChord, 31, 0, 3, 6},
		{InverseChord, 127, 0, 3, 10},
		{InverseChord, 1021, 0, 3, 15},
		{RandomRegular, 32, 3, 3, 6},
		{RandomRegular, 512, 4, 4, 8},
		{HamiltonCycles, 31, 4, 4, 4},
		{HamiltonCycles, 31, 3, 4, 4},
		{HamiltonCycles, 5, 4, 4, 1},
		{Margulis, 256, 0, 8, 7},
		{Hypercube, 32, 0, 5, 5},
		{Hypercube, 256, 0, 8, 8},
		{Hypercube, 4, 0, 3, 1},
		{Ring, 31, 0, 2, 15},
		{Ring, 2, 0, 1, 1},
		{Complete, 70, 0, 69, 1},
	} {
		g, err := New(c.kind, c.size, c.degree)
		if err != nil {
			t.Fatal(err)
		}
		if g.Degree() != c.wantDeg || g.Diameter() != c.wantDia {
			t.Errorf("%s on %d: degree %d and diameter %d, want %d and %d", c.kind, c.size, g.Degree(), g.Diameter(), c.wantDeg, c.wantDia)
		}
	}
}

// The diameter equals that of the distances by Floyd and Warshall.
func TestDiameterOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := draw(t, 90)
		n := g.Len()
		far := make([][]int, n)
		for v := range far {
			far[v] = slices.Repeat([]int{n}, n)
			far[v][v] = 0
			for _, w := range g.Neighbours(v) {
				far[v][w] = 1
			}
		}
		want := 0
		for k := range n {
			for v := range n {
				for w := range n {
					far[v][w] = min(far[v][w], far[v][k]+far[k][w])
				}
			}
		}
		for v := range n {
			want = max(want, slices.Max(far[v]))
		}
		if g.Diameter() != want {
			t.Fatalf("%s on %d: diameter %d, want %d", g.Kind, n, g.Diameter(), want)
		}
	})
}

func TestGraphsThatAKindDoesNotHave(t *testing.T) {
	for _, c := range []struct {
		kind         Kind
		size, degree int
		want         string
	}{
		{"torus", 9, 4, `want hamilton-cycles, inverse-chord, random-regular, margulis, hypercube, complete or ring, got "torus"`},
		{Ring, 1, 4, "at least 2 vertices, got 1"},
		{Margulis, -1, 4, "at least 2 vertices, got -1"},
		{Margulis, 30, 4, "square number of members, got 30; choose 25 or 36 members, or hamilton-cycles"},
		{Hypercube, 31, 4, "power of two as the number of members, got 31; choose 16 or 32 members, or hamilton-cycles"},
		{Hypercube, math.MaxInt, 4, "power of two"},
		{RandomRegular, 31, 3, "odd degree 3 on an odd number of members, 31; choose degree 4, or hamilton-cycles"},
		{RandomRegular, 31, 1, "degree of at least 2, got 1"},
		{HamiltonCycles, 31, 0, "degree of at least 2, got 0"},
		{Complete, 10_000, 4, "at most 16777216 edges, got 10000 members of degree 9999"},
		{HamiltonCycles, 1 << 40, 4, "at most 16777216 edges"},
	} {
		err := c.kind.Validate(c.size, c.degree)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of degree %d on %d: got %v, want %q", c.kind, c.degree, c.size, err, c.want)
			continue
		}
		if _, made := New(c.kind, c.size, c.degree); made == nil || made.Error() != err.Error() {
			t.Errorf("%s of degree %d on %d: New returns %v, want %v", c.kind, c.degree, c.size, made, err)
		}
	}
}
