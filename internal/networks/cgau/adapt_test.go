package cgau

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A new member fits its conditions to a few rows, whose classes differ between members, and
// changes nothing else.
func TestAdapt(t *testing.T) {
	c := small()
	c.Hidden, c.Dropout = []int{8}, 0
	rng := rand.New(rand.NewPCG(5, 5))
	var own []Own
	for rank := range 4 {
		own = append(own, Own{Rows: draw(rng, 100, rank), Seed: uint64(rank)})
	}
	all, _ := inLockstep(t, c, own, 120)
	m := NewModel(c)
	copy(m.Shared().Values, all[0].Model().Shared().Values)
	test := draw(rng, 400, 1)
	before, err := m.Evaluate(test)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Adapt(t.Context(), draw(rng, 20, 1), 300); err != nil {
		t.Fatal(err)
	}
	after, err := m.Evaluate(test)
	if err != nil {
		t.Fatal(err)
	}
	trained, err := all[1].Model().Evaluate(test)
	if err != nil {
		t.Fatal(err)
	}
	if trained.Correct < 380 || before.Correct > 300 || after.Correct < 350 {
		t.Errorf("correct are %d before, %d after, %d of a member that has trained", before.Correct, after.Correct, trained.Correct)
	}
	if !slices.Equal(m.Shared().Values, all[0].Model().Shared().Values) {
		t.Error("weights have changed")
	}
}

// One gated unit with conditions separates the rows of four clusters placed as in an exclusive
// or, whose upper two belong to one member and the lower two to another.
func TestXOR(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	own := []Own{{Seed: 1}, {Seed: 2}}
	for i := range 200 {
		at, class := i%2, i/2%2
		y := float32(1 - 2*at)
		x := y * float32(1-2*class)
		own[at].Values = append(own[at].Values, x+0.2*float32(rng.NormFloat64()), y+0.2*float32(rng.NormFloat64()))
		own[at].Classes = append(own[at].Classes, class)
	}
	c := Config{Inputs: 2, Classes: 2, Hidden: []int{1}, Rate: 0.2, Momentum: 0.9, Seed: 1}
	right := func(conditions bool) (correct int) {
		all, _ := inLockstep(t, c, own, 150)
		for k, m := range all {
			if !conditions {
				clear(m.Model().Conditions().Values)
			}
			s, err := m.Model().Evaluate(own[k].Rows)
			if err != nil {
				t.Fatal(err)
			}
			correct += s.Correct
		}
		return correct
	}
	if got := right(true); got < 196 {
		t.Errorf("%d of 200 rows have the right class", got)
	}
	if got := right(false); got > 170 {
		t.Errorf("without conditions, %d of 200 rows have the right class", got)
	}
}
