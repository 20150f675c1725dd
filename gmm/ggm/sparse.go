package ggm

import (
	"math"
	"slices"

	"github.com/collabdict/collabdict/internal/portable"
)

// sparse is the price of a participant's components (Idé et al. 2024, sections 4.3 and 5.4).
type sparse struct {
	price float64 // τ, of each, in nats
	least float64 // ε: a weight of at most that is none
}

// sparseFor returns the price for a participant of so many rows and components: a share of
// ln N, ½ being what BIC takes for a parameter. It has no price if the share is 0.
func sparseFor(share float64, rows, components int) sparse {
	if share == 0 {
		return sparse{}
	}
	n := float64(rows)
	return sparse{price: share * math.Log(n), least: 1 / (10 * n * float64(components))}
}

// sparse returns the price of components for this participant.
func (l *Learner) sparse(components int) sparse {
	return sparseFor(l.config.Sparse, l.rows.N, components)
}

// weights returns what minimises, over all weights that add up to 1,
//
//	−Σ_k c_k ln π_k + τ·#{k: π_k > ε},
//
// where c_k ≥ 0 are the own rows of each component, and how many weights are above ε. Which
// these are is a prefix of the components by falling c: to swap a smaller c for a larger one
// never costs. With l the multiplier of the sum, their weights are c_k/l, and the others
// min(ε, c_k/l). So there are K cases.
func (s sparse) weights(c []float64) (best []float64, active int) {
	order := make([]int, len(c))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case c[a] > c[b]:
			return -1
		case c[a] < c[b]:
			return 1
		}
		return 0
	})
	lowest := math.Inf(1)
	for m := 1; m <= len(c); m++ {
		w := s.prefix(c, order, m)
		cost, above := 0.0, 0
		for k, v := range w {
			if c[k] > 0 {
				cost -= float64(c[k] * portable.Log(v))
			}
			if v > s.least {
				above++
			}
		}
		if cost += float64(s.price * float64(above)); cost < lowest {
			lowest, best, active = cost, w, above
		}
	}
	return best, active
}

// prefix returns the best weights of which only those of the first m components in order may
// be above ε.
func (s sparse) prefix(c []float64, order []int, m int) []float64 {
	rest := 0.0
	for _, k := range order {
		rest += c[k]
	}
	capped, l := 0, rest
	for ; m+capped < len(order); capped++ {
		next := c[order[m+capped]]
		if next <= float64(s.least*l) {
			break
		}
		rest -= next
		l = rest / (1 - float64(s.least*float64(capped+1)))
	}
	w := make([]float64, len(c))
	for i, k := range order {
		w[k] = c[k] / l
		if i >= m && i < m+capped {
			w[k] = s.least
		}
	}
	return w
}
