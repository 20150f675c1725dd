package session

import (
	"cmp"
	"slices"
)

// pairs returns the pairs v < w of vertices that exchange frames, in order. hears calls its argument
// for each vertex and each that it hears, itself and duplicates included.
func pairs(hears func(hear func(v, w int))) [][2]int {
	var all [][2]int
	hears(func(v, w int) {
		if v != w {
			all = append(all, [2]int{min(v, w), max(v, w)})
		}
	})
	slices.SortFunc(all, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return slices.Compact(all)
}

// Edges implements [Plan].
func (p *Laplacian) Edges() [][2]int {
	return pairs(func(hear func(v, w int)) {
		for v := range p.graph.Len() {
			for _, w := range p.graph.Neighbours(v) {
				hear(p.graph.Host(v), p.graph.Host(w))
			}
		}
	})
}

// Edges implements [Plan].
func (p *Exchange) Edges() [][2]int {
	return pairs(func(hear func(v, w int)) {
		for _, rows := range p.schedule {
			for v, r := range rows {
				for _, w := range r.hears {
					hear(v, w)
				}
			}
		}
	})
}

// Edges implements [Plan].
func (p *Circulant) Edges() [][2]int {
	return pairs(func(hear func(v, w int)) {
		for v := range p.size {
			for _, skip := range p.skips[:len(p.skips)-1] {
				hear(v, (v+skip)%p.size)
			}
		}
	})
}
