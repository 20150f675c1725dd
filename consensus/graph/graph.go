package graph

import (
	"math"
	"slices"
)

// A Graph is a connected undirected graph on the vertices 0 to Len()-1. Its edges have weight
// 1, except in [Margulis], where an edge that occurs twice has weight 2.
type Graph struct {
	Kind    Kind
	members int
	adj     [][]int     // sorted neighbours, without loops and duplicates
	weights [][]float64 // weights of the edges in adj; nil if all are 1
	ones    []float64   // ones, one for each neighbour of the vertex with most
	degrees []int       // degrees, including duplicates and loops where they count
}

// New returns the topology of the kind for the given number of members, at least 2. Only
// HamiltonCycles and RandomRegular use the degree. With a degree of size-1 or more they return
// the complete graph. HamiltonCycles rounds an odd degree up to the next even one.
// RandomRegular refuses an odd degree if the size is odd, too.
func New(kind Kind, size, degree int) (*Graph, error) {
	if err := kind.Validate(size, degree); err != nil {
		return nil, err
	}
	kind = kind.of(size)
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

// Members returns the number of members, at most Len. Further vertices have no member of their
// own and start with the value 0. The average over all vertices is then Members/Len times that
// over the members, so the sum is Len times the average.
func (g *Graph) Members() int { return g.members }

// Host returns the vertex of the member that acts for v. That is v itself below Members; other
// vertices are hosted by the first members.
func (g *Graph) Host(v int) int {
	if v < g.members {
		return v
	}
	return v - g.members
}

// Neighbours returns the sorted neighbours of v. The caller must not modify the slice.
func (g *Graph) Neighbours(v int) []int { return g.adj[v] }

// Weights returns the weights of v's edges in the Laplacian, in the order of Neighbours(v). The
// caller must not modify the slice.
func (g *Graph) Weights(v int) []float64 {
	if g.weights == nil {
		return g.ones[:len(g.adj[v])]
	}
	return g.weights[v]
}

// MetropolisWeights returns the Metropolis-Hastings weights of v's edges, in the order of
// Neighbours(v). They are 1/(1+max(d_v, d_w)) for the degrees of both ends, times the edge's
// weight. The remainder up to 1 is the weight of v's own value.
func (g *Graph) MetropolisWeights(v int) []float64 {
	w := slices.Clone(g.Weights(v))
	for i, n := range g.adj[v] {
		w[i] /= float64(1 + max(g.degrees[v], g.degrees[n]))
	}
	return w
}

// Degree returns the largest degree of a vertex.
func (g *Graph) Degree() int { return slices.Max(g.degrees) }

// newGraph returns the graph with the given neighbours, which it sorts. It removes loops and
// duplicates.
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
