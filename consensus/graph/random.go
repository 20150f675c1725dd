package graph

import (
	"math/rand/v2"
	"slices"
)

// draws is the number of random graphs from which the best one is chosen.
const draws = 16

// best returns the graph with the largest λ₂/λ_max in a fixed sequence of draws, so that all
// members build the same one. It skips disconnected draws. If all are disconnected, it
// continues to draw.
func best(draw func(*rand.Rand) *Graph, seed uint64) *Graph {
	var chosen *Graph
	ratio := -1.0
	for i := uint64(0); i < draws || chosen == nil; i++ {
		g := draw(rand.New(rand.NewPCG(seed, i)))
		if !g.connected() {
			continue
		}
		if s := g.estimate(g.Weights); s.Lambda2/s.LambdaMax > ratio {
			chosen, ratio = g, s.Lambda2/s.LambdaMax
		}
	}
	return chosen
}

// hamiltonCycles returns the best union of the given number of random Hamiltonian cycles.
func hamiltonCycles(size, cycles int) *Graph {
	return best(func(rng *rand.Rand) *Graph {
		var edges [][2]int
		for range cycles {
			order := rng.Perm(size)
			for i, v := range order {
				edges = append(edges, [2]int{v, order[(i+1)%size]})
			}
		}
		return fromEdges(HamiltonCycles, size, edges)
	}, uint64(size)<<8|uint64(cycles))
}

// randomRegular returns the best of several random regular graphs of the given degree. The
// degree must be even if the size is odd.
func randomRegular(size, degree int) *Graph {
	if degree == 2 { // the only connected graph of degree 2
		return fromEdges(RandomRegular, size, ring(size))
	}
	return best(func(rng *rand.Rand) *Graph {
		edges := circulant(size, degree)
		adj := fromEdges(RandomRegular, size, edges).adj
		for range switchings * len(edges) {
			e, f := rng.IntN(len(edges)), rng.IntN(len(edges))
			switchEdges(adj, &edges[e], &edges[f], rng.IntN(2) == 1)
		}
		return newGraph(RandomRegular, adj)
	}, uint64(size)<<8|uint64(degree))
}

// switchings is the number of times per edge that the ends of two edges are switched. After
// that hardly any edge is where it was.
const switchings = 10

// circulant returns the edges of the graph that connects v to v±1, ..., v±degree/2, and for an
// odd degree to v+size/2.
func circulant(size, degree int) [][2]int {
	var edges [][2]int
	for v := range size {
		for k := 1; k <= degree/2; k++ {
			edges = append(edges, [2]int{v, (v + k) % size})
		}
		if degree%2 == 1 && v < size/2 {
			edges = append(edges, [2]int{v, v + size/2})
		}
	}
	return edges
}

// switchEdges replaces the edges a-b and c-d by a-c and b-d, or with flip by a-d and b-c. It
// does nothing if that would create a loop or a duplicate.
func switchEdges(adj [][]int, e, f *[2]int, flip bool) {
	a, b, c, d := e[0], e[1], f[0], f[1]
	if flip {
		c, d = d, c
	}
	if a == c || b == d || slices.Contains(adj[a], c) || slices.Contains(adj[b], d) {
		return
	}
	adj[a][slices.Index(adj[a], b)] = c
	adj[b][slices.Index(adj[b], a)] = d
	adj[c][slices.Index(adj[c], d)] = a
	adj[d][slices.Index(adj[d], c)] = b
	*e, *f = [2]int{a, c}, [2]int{b, d}
}
