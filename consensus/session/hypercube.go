package session

import (
	"slices"

	"github.com/collabdict/collabdict/chunking"
)

// factors returns the factors of n in ascending order, none of them above most. It divides by
// the largest possible factor first, and returns nil if n has a larger prime factor.
func factors(n, most int) []int {
	fs := []int{}
	for f := most; f > 1; f-- {
		for n%f == 0 {
			fs = append(fs, f)
			n /= f
		}
	}
	if n != 1 {
		return nil
	}
	slices.Reverse(fs)
	return fs
}

// groups returns the rounds of the hyper-hypercube over f_1·...·f_L vertices (Takezawa et al.
// 2023). In round i it has groups of f_i vertices whose places are f_1·...·f_(i-1) apart. When
// every group of every round has combined its values, all vertices have combined the values of
// all.
func groups(vertices, factors []int) [][][]int {
	var rounds [][][]int
	stride := 1
	for _, f := range factors {
		var round [][]int
		for base := 0; base < len(vertices); base += stride * f {
			for offset := range stride {
				group := make([]int, f)
				for j := range group {
					group[j] = vertices[base+offset+stride*j]
				}
				round = append(round, group)
			}
		}
		rounds = append(rounds, round)
		stride *= f
	}
	return rounds
}

// A row is a vertex's part in a round. Its new value is self times its own value, plus weight
// times the sum of the values that it hears.
type row struct {
	self, weight uint64
	hears, tells []int // vertices
}

// A schedule holds the rows of all vertices in all rounds, by round and vertex.
type schedule [][]row

// grow extends the schedule to at least the given number of rounds. In new rounds all vertices
// are idle.
func (s *schedule) grow(rounds, size int) {
	for len(*s) < rounds {
		*s = append(*s, slices.Repeat([]row{{self: 1}}, size))
	}
}

// gather lets every vertex of a group hear all others and form their sum, or with mean their
// mean in the field.
func (s schedule) gather(round int, group []int, mean bool) {
	weight := uint64(1)
	if mean {
		weight = chunking.FieldInv(uint64(len(group)))
	}
	for i, v := range group {
		others := slices.Delete(slices.Clone(group), i, i+1)
		s[round][v] = row{self: weight, weight: weight, hears: others, tells: others}
	}
}

// pair connects vertex i of left with vertex i of each part of a block: they hear each other.
// If the block has one value, the weights make the mean of left, and the mean of each part,
// equal to the mean over all total vertices.
func (s schedule) pair(round int, b block, left []int, total uint64) {
	inverse := chunking.FieldInv(chunking.FieldMul(uint64(len(b.parts)), total))
	weight := chunking.FieldMul(uint64(len(b.vertices)), inverse)
	mine := chunking.FieldSub(1, chunking.FieldMul(uint64(len(b.parts)), weight))
	theirs := chunking.FieldSub(1, weight)
	for i, v := range left {
		partners := make([]int, len(b.parts))
		for a, part := range b.parts {
			partners[a] = part[i]
			s[round][part[i]] = row{self: theirs, weight: weight, hears: []int{v}, tells: []int{v}}
		}
		s[round][v] = row{self: mine, weight: weight, hears: partners, tells: partners}
	}
}
