package attack

import "slices"

// Components returns the connected components of a chunk graph without the coalition. Chunks[s]
// lists the members that s deals chunks to. Whatever the coalition sees of the session, it
// learns the sum of the vectors of each component and nothing more. A member that forms a
// component alone is breached.
func Components(chunks [][]int, coalition []int) [][]int {
	component := make([]int, len(chunks))
	for s := range component {
		component[s] = s
	}
	root := func(s int) int {
		for component[s] != s {
			s = component[s]
		}
		return s
	}
	for s, to := range chunks {
		for _, r := range to {
			if !slices.Contains(coalition, s) && !slices.Contains(coalition, r) {
				component[root(s)] = root(r)
			}
		}
	}
	byRoot := make([][]int, len(chunks))
	for s := range chunks {
		if !slices.Contains(coalition, s) {
			byRoot[root(s)] = append(byRoot[root(s)], s)
		}
	}
	return slices.DeleteFunc(byRoot, func(c []int) bool { return len(c) == 0 })
}
