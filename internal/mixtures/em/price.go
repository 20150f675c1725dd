package em

import (
	"math"
	"slices"

	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// price is the price of a participant's components: the cardinality regularisation that section 4.3
// of Idé et al. 2024 names, without equations.
type price struct {
	nats  float64 // τ, the price of each component
	least float64 // ε: weights up to this value have no price
}

// priceFor returns the price for a participant with the given numbers of rows and components:
// share·ln N, where BIC's price of a parameter is a share of ½. With a share of 0 there is no
// price.
func priceFor(share float64, rows, components int) price {
	if share == 0 {
		return price{}
	}
	n := float64(rows)
	return price{nats: share * math.Log(n), least: 1 / (10 * n * float64(components))}
}

// price returns the price of components for this participant.
func (l *Learner) price(components int) price {
	return priceFor(l.config.Sparse, l.rows.N, components)
}

// weights returns the weights that minimise, among all weights that sum to 1,
//
//	−Σ_k c_k ln π_k + τ·#{k: π_k > ε},
//
// where c_k ≥ 0 is the number of own rows of each component, and the number of weights above ε.
// These weights belong to the components of largest c, because swapping a smaller c for a
// larger one never costs more. With l the multiplier of the sum, they are c_k/l, and the others
// min(ε, c_k/l). So there are K cases.
func (p price) weights(c []float64) (best []float64, active int) {
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
		w := p.prefix(c, order, m)
		cost, above := 0.0, 0
		for k, v := range w {
			if c[k] > 0 {
				cost -= float64(c[k] * portable.Log(v))
			}
			if v > p.least {
				above++
			}
		}
		if cost += float64(p.nats * float64(above)); cost < lowest {
			lowest, best, active = cost, w, above
		}
	}
	return best, active
}

// prefix returns the best weights if only those of the first m components in order may be above
// ε.
func (p price) prefix(c []float64, order []int, m int) []float64 {
	rest := 0.0
	for _, k := range order {
		rest += c[k]
	}
	capped, l := 0, rest
	for ; m+capped < len(order); capped++ {
		next := c[order[m+capped]]
		if next <= float64(p.least*l) {
			break
		}
		rest -= next
		l = rest / (1 - float64(p.least*float64(capped+1)))
	}
	w := make([]float64, len(c))
	for i, k := range order {
		w[k] = c[k] / l
		if i >= m && i < m+capped {
			w[k] = p.least
		}
	}
	return w
}
