package session

import (
	"fmt"
	"slices"

	"github.com/collabdict/collabdict/chunking"
)

// NewBaseK returns the plan of a base-(k+1) graph (Takezawa et al. 2023). It averages over
// pairs and groups of at most k+1 members. After finitely many rounds, every member has the
// mean of all. The weights are rational numbers whose denominators are products of numbers up
// to size. They have exact values in the field of 2^61-1 elements, and so has the mean. In a
// round a member hears at most k others; k is at least 1.
func NewBaseK(size, k int) (*Exchange, error) {
	if err := checkExact(size, k, chunking.Field); err != nil {
		return nil, err
	}
	vertices := make([]int, size)
	for v := range vertices {
		vertices[v] = v
	}
	base := min(k, size-1) + 1
	var s schedule
	if fs := factors(size, base); fs != nil {
		s.hypercube(vertices, fs, 0, size)
	} else {
		s.simple(vertices, base, 0, size)
		if t := transversal(vertices, base); t != nil && len(t) < len(s) {
			s = t
		}
	}
	return newExchange(fmt.Sprintf("base-k k=%d", k), size, chunking.Field, s, uint64(size)), nil
}

// hypercube averages over vertices, starting in round from, and returns the round after the
// last one.
func (s *schedule) hypercube(vertices, fs []int, from, size int) int {
	s.grow(from+len(fs), size)
	for i, round := range groups(vertices, fs) {
		for _, group := range round {
			s.gather(from+i, group, true)
		}
	}
	return from + len(fs)
}

// A block is a·base^p vertices, divided into a parts of base^p.
type block struct {
	vertices []int
	parts    [][]int
}

// simple averages over vertices by the simple base-(k+1) graph, for a number of vertices with a
// prime factor above the base, k+1. It returns the round after the last one.
//
// First every block averages. Then each block in turn is averaged with the remaining vertices.
// Each vertex of the later blocks pairs with one vertex of each part, so that the means of
// every part and of the remainder become the mean of both. Then the parts average once more.
func (s *schedule) simple(vertices []int, base, from, size int) int {
	blocks := digits(vertices, base)
	largest := from
	for _, b := range blocks {
		largest = max(largest, s.hypercube(b.vertices, factors(len(b.vertices), base), from, size))
	}
	end := largest
	left := vertices
	for l, b := range blocks[:len(blocks)-1] {
		total := uint64(len(left))
		left = left[len(b.vertices):]
		s.grow(largest+l+1, size)
		s.pair(largest+l, b, left, total)
		for _, part := range b.parts {
			end = max(end, s.hypercube(part, factors(len(part), base), largest+l+1, size))
		}
	}
	return end
}

// digits divides the vertices into blocks by the digits of their number in a base.
func digits(vertices []int, base int) []block {
	power := 1
	for power*base <= len(vertices) {
		power *= base
	}
	var blocks []block
	for ; len(vertices) > 0; power /= base {
		if a := len(vertices) / power; a > 0 {
			b := vertices[:a*power]
			blocks = append(blocks, block{vertices: b, parts: slices.Collect(slices.Chunk(b, power))})
			vertices = vertices[a*power:]
		}
	}
	return blocks
}

// transversal returns the base-(k+1) graph. Let p be the largest factor of the number of
// vertices without prime factors above the base. The vertices form p classes, which average by
// the simple graph. Then the p vertices at the same place in each class average. It returns nil
// if p is 1.
func transversal(vertices []int, base int) schedule {
	p, size := 1, len(vertices)
	q := size
	for f := 2; f <= base; f++ {
		for q%f == 0 {
			p *= f
			q /= f
		}
	}
	if p == 1 {
		return nil
	}
	var s schedule
	end := 0
	for class := range slices.Chunk(vertices, q) {
		end = s.simple(class, base, 0, size)
	}
	for place := range q {
		across := make([]int, p)
		for i := range across {
			across[i] = vertices[i*q+place]
		}
		s.hypercube(across, factors(p, base), end, size)
	}
	return s
}
