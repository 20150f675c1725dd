package metrics

// ARI returns the adjusted Rand index of two clusterings of the same rows (Hubert and Arabie
// 1985): 1 for equal partitions, 0 on average for independent ones, negative for less. Two
// clusterings that both have one cluster, or both one cluster per row, agree. The slices have
// equal length.
func ARI[A, B comparable](a []A, b []B) float64 {
	if len(a) != len(b) {
		panic("metrics: clusterings have different lengths")
	}
	type cell struct {
		a A
		b B
	}
	cells, ofA, ofB := make(map[cell]int), make(map[A]int), make(map[B]int)
	for i := range a {
		cells[cell{a[i], b[i]}]++
		ofA[a[i]]++
		ofB[b[i]]++
	}
	// Pairs of rows that are together in both, in a, in b, and all pairs: whole
	// numbers, so the order of the maps does not matter.
	both, inA, inB, all := pairs(cells), pairs(ofA), pairs(ofB), len(a)*(len(a)-1)/2
	if both == inA && both == inB {
		return 1
	}
	expected := float64(inA) * float64(inB) / float64(all)
	return (float64(both) - expected) / ((float64(inA)+float64(inB))/2 - expected)
}

func pairs[K comparable](counts map[K]int) (n int) {
	for _, c := range counts {
		n += c * (c - 1) / 2
	}
	return n
}
