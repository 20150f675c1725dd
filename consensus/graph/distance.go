package graph

import "slices"

// Diameter returns the largest distance between two vertices, in edges. Averaging over the graph
// takes at least this number of iterations. Diameter searches from every vertex.
func (g *Graph) Diameter() int {
	d := 0
	s := newSearch(g)
	for v := 0; v < g.Len(); v += 64 {
		d = max(d, s.from(v, min(v+64, g.Len())))
	}
	return d
}

func (g *Graph) connected() bool {
	s := newSearch(g)
	s.from(0, 1)
	return !slices.Contains(s.seen, 0)
}

// A search is a breadth-first search from up to 64 vertices at once, with one bit per start.
type search struct {
	adj        [][]int
	seen       []uint64 // starts that have reached a vertex
	here, next []uint64 // starts that reached a vertex first in this level, and in the next one
}

func newSearch(g *Graph) *search {
	n := g.Len()
	return &search{adj: g.adj, seen: make([]uint64, n), here: make([]uint64, n), next: make([]uint64, n)}
}

// from searches from the vertices first to end-1, and returns the number of levels.
func (s *search) from(first, end int) int {
	clear(s.seen)
	var front, ahead []int
	for v := first; v < end; v++ {
		front = append(front, v)
		s.here[v] = 1 << (v - first)
		s.seen[v] = s.here[v]
	}
	for level := 0; ; level++ {
		for _, v := range front {
			for _, w := range s.adj[v] {
				if found := s.here[v] &^ s.seen[w]; found != 0 {
					if s.next[w] == 0 {
						ahead = append(ahead, w)
					}
					s.next[w] |= found
				}
			}
			s.here[v] = 0
		}
		if len(ahead) == 0 {
			return level
		}
		for _, w := range ahead {
			s.seen[w] |= s.next[w]
		}
		front, ahead = ahead, front[:0]
		s.here, s.next = s.next, s.here
	}
}
