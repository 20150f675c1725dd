package graph

import (
	"fmt"
	"math"
	"slices"
)

// Graph is a connected undirected graph on the vertices 0..Len()-1. Its edges have
// weights, which are 1 but for [Margulis], whose doubled edges count as often as
// they occur.
type Graph struct {
	Kind    Kind
	members int
	adj     [][]int     // sorted neighbours, without loops and doubles
	weights [][]float64 // of the edges to them; nil if all are 1
	ones    []float64   // as many as the largest number of neighbours
	degrees []int       // doubles and loops included where they count
}

// New returns the topology of the kind for the given number of members, at least
// 2. The degree matters to HamiltonCycles and RandomRegular only, where size-1 or
// more gives the complete graph; an odd one is rounded up to the next even one by
// HamiltonCycles, and refused by RandomRegular for an odd size.
func New(kind Kind, size, degree int) (*Graph, error) {
	if err := kind.Check(size); err != nil {
		return nil, err
	}
	if size < 2 {
		return nil, fmt.Errorf("graph: want at least 2 vertices, got %d", size)
	}
	if kind != Ring && size <= completeUpTo {
		kind = Complete
	}
	if err := kind.checkDegree(size, degree); err != nil {
		return nil, err
	}
	switch kind {
	case Ring:
		return fromEdges(kind, size, ring(size)), nil
	case InverseChord:
		p := nextPrime(size)
		g := fromEdges(kind, p, inverseChord(p))
		g.members = size
		return g, nil
	case Hypercube:
		return fromEdges(kind, size, hypercube(size)), nil
	case Margulis:
		return margulis(int(math.Sqrt(float64(size)))), nil
	case Complete:
		return complete(size), nil
	}
	switch {
	case degree >= size-1:
		return complete(size), nil
	case kind == RandomRegular:
		return randomRegular(size, degree), nil
	}
	return hamiltonCycles(size, (degree+1)/2), nil
}

// Len returns the number of vertices.
func (g *Graph) Len() int { return len(g.adj) }

// Members returns the number of members, at most Len. Vertices from there on have
// nobody of their own: an average over the vertices gives them 0 to begin with,
// and is then Members/Len times that over the members, so that the sum is Len
// times the average.
func (g *Graph) Members() int { return g.members }

// Host returns the vertex of the member that acts for v: v itself below Members,
// above it one of the first.
func (g *Graph) Host(v int) int {
	if v < g.members {
		return v
	}
	return v - g.members
}

// Neighbours returns the sorted neighbours of v. The slice is not to be changed.
func (g *Graph) Neighbours(v int) []int { return g.adj[v] }

// Weights returns the weights of the edges of v in the Laplacian, in the order of
// Neighbours(v). The slice is not to be changed.
func (g *Graph) Weights(v int) []float64 {
	if g.weights == nil {
		return g.ones[:len(g.adj[v])]
	}
	return g.weights[v]
}

// MetropolisWeights returns the weights of Metropolis and Hastings of the edges of
// v, in the order of Neighbours(v): 1/(1+max(d_v, d_w)) with the degrees of both
// ends, times the edge's weight. What is left to 1 is the weight of v's own value.
func (g *Graph) MetropolisWeights(v int) []float64 {
	w := slices.Clone(g.Weights(v))
	for i, n := range g.adj[v] {
		w[i] /= float64(1 + max(g.degrees[v], g.degrees[n]))
	}
	return w
}

// Degree returns the largest degree of a vertex.
func (g *Graph) Degree() int { return slices.Max(g.degrees) }

// newGraph returns the graph with the given neighbours, which it sorts and rids of
// loops and doubles.
func newGraph(kind Kind, adj [][]int) *Graph {
	g := &Graph{Kind: kind, members: len(adj), adj: adj, degrees: make([]int, len(adj))}
	for v := range adj {
		slices.Sort(adj[v])
		adj[v] = slices.DeleteFunc(slices.Compact(adj[v]), func(w int) bool { return w == v })
		g.degrees[v] = len(adj[v])
	}
	g.ones = make([]float64, g.Degree())
	for i := range g.ones {
		g.ones[i] = 1
	}
	return g
}

func fromEdges(kind Kind, size int, edges [][2]int) *Graph {
	adj := make([][]int, size)
	for _, e := range edges {
		adj[e[0]] = append(adj[e[0]], e[1])
		adj[e[1]] = append(adj[e[1]], e[0])
	}
	return newGraph(kind, adj)
}
