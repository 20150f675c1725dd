package session

import (
	"slices"

	"github.com/collabdict/collabdict/chunking"
)

// factors returns factors of n that are at most the given one, ascending, peeled
// off largest first; nil if a prime factor of n is larger.
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

// groups returns the rounds of the hyper-hypercube over f_1·...·f_L vertices: in
// round i, groups of f_i whose places are f_1·...·f_(i-1) apart (Takezawa et al.
// 2023). When every group of every round has combined its values, all vertices
// have combined those of all.
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

// row is what a vertex does in a round: its value becomes self times its own plus
// weight times the sum of those that it hears.
type row struct {
	self, weight uint64
	hears, tells []int // vertices
}

// schedule is what all vertices do in all rounds.
type schedule [][]row

// grow makes the schedule at least so many rounds long; in the new ones all
// vertices are idle.
func (s *schedule) grow(rounds, size int) {
	for len(*s) < rounds {
		*s = append(*s, slices.Repeat([]row{{self: 1}}, size))
	}
}

// gather has every vertex of a group hear all others: their sum, or their mean in
// the field.
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

// pair has vertex i of left hear vertex i of each part of a block, and each of
// those hear it, with the weights that make the mean of left, and of each part,
// that of all the given number of vertices, if the block has one value.
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
