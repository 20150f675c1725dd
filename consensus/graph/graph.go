package graph

import (
	"fmt"
	"slices"
)

// Graph is a simple undirected graph on the vertices 0..N-1.
type Graph struct {
	Kind Kind
	adj  [][]int // sorted neighbours, without loops and doubles
}

// Kind names a family of topologies.
type Kind string

// The kinds of topologies.
const (
	// HamiltonCycles is the union of Degree/2 random Hamiltonian cycles (Law and
	// Siu 2003): connected by construction, an expander with high probability,
	// for any size.
	HamiltonCycles Kind = "hamilton-cycles"
	// InverseChord is the cycle with inverse chords, x ~ x±1 and x ~ 1/x modulo a
	// prime size (Fig. 1 of Idé et al. 2024).
	InverseChord Kind = "inverse-chord"
	// Complete joins everyone with everyone.
	Complete Kind = "complete"
	// Ring is the single cycle, the slowest of all, for comparison.
	Ring Kind = "ring"
)

// completeUpTo is the size up to which every kind but the ring is complete: no
// graph of so few vertices is sparser and still worth a second iteration.
const completeUpTo = 4

// Check reports a kind that is unknown or has no graph of the given size.
func (k Kind) Check(size int) error {
	switch k {
	case HamiltonCycles, Complete, Ring:
		return nil
	case InverseChord:
		if size > completeUpTo && !isPrime(size) {
			return fmt.Errorf("graph: %s wants a prime number of members, got %d; choose %s", k, size, HamiltonCycles)
		}
		return nil
	}
	return fmt.Errorf("graph: want %s, %s, %s or %s, got %q", HamiltonCycles, InverseChord, Complete, Ring, string(k))
}

// New returns the topology of the kind with the given size, at least 2. The
// degree matters to HamiltonCycles only, where an odd one is rounded up to the
// next even one and size-1 or more gives the complete graph.
func New(kind Kind, size, degree int) (*Graph, error) {
	if err := kind.Check(size); err != nil {
		return nil, err
	}
	if size < 2 {
		return nil, fmt.Errorf("graph: want at least 2 vertices, got %d", size)
	}
	switch {
	case kind == Ring:
		return fromEdges(kind, size, ring(size)), nil
	case kind == Complete || size <= completeUpTo || kind == HamiltonCycles && degree >= size-1:
		return fromEdges(Complete, size, complete(size)), nil
	case kind == InverseChord:
		return fromEdges(kind, size, inverseChord(size)), nil
	}
	return hamiltonCycles(size, (degree+1)/2)
}

// Len returns the number of vertices.
func (g *Graph) Len() int { return len(g.adj) }

// Neighbours returns the sorted neighbours of v. The slice is not to be changed.
func (g *Graph) Neighbours(v int) []int { return g.adj[v] }

// Degree returns the largest number of neighbours of a vertex.
func (g *Graph) Degree() int {
	d := 0
	for _, n := range g.adj {
		d = max(d, len(n))
	}
	return d
}

func fromEdges(kind Kind, size int, edges [][2]int) *Graph {
	adj := make([][]int, size)
	for _, e := range edges {
		if e[0] != e[1] {
			adj[e[0]] = append(adj[e[0]], e[1])
			adj[e[1]] = append(adj[e[1]], e[0])
		}
	}
	for v := range adj {
		slices.Sort(adj[v])
		adj[v] = slices.Compact(adj[v])
	}
	return &Graph{Kind: kind, adj: adj}
}

func ring(size int) [][2]int {
	edges := make([][2]int, size)
	for v := range edges {
		edges[v] = [2]int{v, (v + 1) % size}
	}
	return edges
}

func complete(size int) [][2]int {
	var edges [][2]int
	for v := range size {
		for w := range v {
			edges = append(edges, [2]int{w, v})
		}
	}
	return edges
}

func inverseChord(p int) [][2]int {
	edges := ring(p)
	for x := 1; x < p; x++ {
		edges = append(edges, [2]int{x, powMod(x, p-2, p)}) // Fermat: x^(p-2) = 1/x
	}
	return edges
}

func powMod(x, e, p int) int {
	y := 1
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			y = y * x % p
		}
		x = x * x % p
	}
	return y
}

func isPrime(n int) bool {
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return false
		}
	}
	return n >= 2
}
