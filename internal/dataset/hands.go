package dataset

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// Deal deals rows with known classes, as a Dirichlet, Quantity or Classes
// split deals those of files, and returns the numbers of each participant's rows in
// ascending order. A participant may have none.
func (p Split) Deal(classes []float64, seed uint64) ([][]int, error) {
	if p.Kind < Dirichlet || p.Kind == PCAKMeans {
		panic(fmt.Sprintf("dataset: split %q does not deal by classes alone", p))
	}
	rows := map[float64][]int{}
	for row, class := range classes {
		rows[class] = append(rows[class], row)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	shares, err := p.shares(len(rows), random)
	if err != nil {
		return nil, err
	}
	hands := make([][]int, p.Clients)
	for c, class := range slices.Sorted(maps.Keys(rows)) {
		of := rows[class]
		for at, to := range allot(shares[c], random.Perm(len(of))) {
			hands[to] = append(hands[to], of[at])
		}
	}
	for _, hand := range hands {
		slices.Sort(hand)
	}
	return hands, nil
}
