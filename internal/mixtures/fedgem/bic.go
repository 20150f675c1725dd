package fedgem

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// ComponentsByBIC returns the number of components, from least to most, whose mixture of the
// rows of x has the smallest BIC. If full is not set, the clusters are spherical. It stops at
// the first number that leaves a component with too few rows.
func ComponentsByBIC(x *mat.Dense, least, most int, full bool, seed uint64) (int, error) {
	rows, _ := x.Dims()
	if least < 1 || least > rows {
		return 0, fmt.Errorf("components: want a range within 1 to %d, the number of rows, got %d to %d", rows, least, most)
	}
	best, smallest := least, math.Inf(1)
	for k := least; k <= min(most, rows); k++ {
		m, sound, err := fit(x, k, full, 100, seed)
		if err != nil {
			return 0, fmt.Errorf("%d components: %w", k, err)
		}
		if !sound && k > least {
			break
		}
		bic := m.BIC(x)
		if !full { // m.BIC counts one variance per component
			bic -= float64(float64(k-1) * math.Log(float64(rows)))
		}
		if bic < smallest {
			best, smallest = k, bic
		}
	}
	return best, nil
}

// Classes returns the number of different labels, which is the number of own clusters in the
// paper's experiments.
func Classes(labels []float64) int {
	seen := map[float64]bool{}
	for _, l := range labels {
		seen[l] = true
	}
	return len(seen)
}
