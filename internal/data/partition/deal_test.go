package partition_test

import (
	"slices"
	"testing"

	"github.com/collabdict/collabdict/internal/data/partition"
)

func TestDealGivesEveryRowOnce(t *testing.T) {
	classes := make([]float64, 1000)
	for row := range classes {
		classes[row] = float64(row % 7)
	}
	for _, p := range []partition.Split{
		{Kind: partition.Dirichlet, Clients: 9, Alpha: 0.1},
		{Kind: partition.Quantity, Clients: 9, Alpha: 2},
		{Kind: partition.Classes, Clients: 9, Least: 1, Most: 3},
	} {
		hands, err := p.Deal(classes, 3)
		if err != nil {
			t.Fatal(err)
		}
		var all []int
		for _, hand := range hands {
			if !slices.IsSorted(hand) {
				t.Errorf("%v: got rows %v, want them in ascending order", p, hand)
			}
			seen := map[float64]bool{}
			for _, row := range hand {
				seen[classes[row]] = true
			}
			if p.Kind == partition.Quantity && len(seen) != 2 {
				t.Errorf("%v: got a participant of %d classes, want 2", p, len(seen))
			}
			all = append(all, hand...)
		}
		slices.Sort(all)
		for row, got := range all {
			if got != row || len(all) != len(classes) {
				t.Fatalf("%v: got %d rows, row %d is %d; want every row once", p, len(all), row, got)
			}
		}
	}
	if _, err := (partition.Split{Kind: partition.Quantity, Clients: 2, Alpha: 2}).Deal(classes, 3); err == nil {
		t.Error("want an error: 2 participants of 2 classes do not have all 7")
	}
}
