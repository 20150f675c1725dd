package dataset

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// DealAlike deals rows in memory, with known classes, as a PCAKMeans split deals
// those of files, and returns the numbers of each participant's rows in ascending order:
// those that centroids are found by, and others (nil if there are none).
func (p Split) DealAlike(train, test *mat.Dense, trainClasses, testClasses []float64, seed uint64) (trained, tested [][]int, err error) {
	if p.Kind != PCAKMeans {
		panic(fmt.Sprintf("dataset: split %q does not deal rows by how they look", p))
	}
	by := map[float64]*places{}
	of := func(class float64) *places {
		if by[class] == nil {
			by[class] = &places{}
		}
		return by[class]
	}
	for row, class := range trainClasses {
		c := of(class)
		c.train = append(c.train, row)
		c.rows.train.append(train.RawRowView(row))
	}
	for row, class := range testClasses {
		c := of(class)
		c.test = append(c.test, row)
		c.rows.test.append(test.RawRowView(row))
	}
	var names []string
	var groups []*group
	classes := slices.Sorted(maps.Keys(by))
	for _, class := range classes {
		names, groups = append(names, fmt.Sprint(class)), append(groups, &by[class].rows)
	}
	_, width := train.Dims()
	s := &Spec{Split: p}
	owners, err := s.alike(names, groups, width, rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		return nil, nil, err
	}
	trained, tested = make([][]int, p.Clients), make([][]int, p.Clients)
	for c, class := range classes {
		hand(trained, owners[c].train, by[class].train)
		hand(tested, owners[c].test, by[class].test)
	}
	for _, hands := range [][][]int{trained, tested} {
		for _, h := range hands {
			slices.Sort(h)
		}
	}
	return trained, tested, nil
}

// places are the rows of a class, and where they come from.
type places struct {
	rows        group
	train, test []int
}

func (r *rowSet) append(row []float64) {
	r.n++
	r.values = append(r.values, row...)
}

func hand(hands [][]int, owners, rows []int) {
	for at, to := range owners {
		hands[to] = append(hands[to], rows[at])
	}
}
