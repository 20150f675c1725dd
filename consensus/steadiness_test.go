package consensus

import "testing"

// A stopping rule compares totals over the same members, and waits for members that were
// counted recently.
func TestSteadiness(t *testing.T) {
	all, four, nobody := []uint32{0, 1, 2, 3, 4}, []uint32{0, 1, 2, 3}, []uint32{}
	for name, c := range map[string]struct {
		round uint32 // of the first
		whose [][]uint32
		want  []bool
	}{
		"everybody":      {1, [][]uint32{all, all, all}, []bool{false, true, true}},
		"one comes back": {1, [][]uint32{all, four, four, all, all}, []bool{false, false, false, false, true}},
		"nobody counts":  {1, [][]uint32{all, nobody, nobody}, []bool{false, false, false}},
	} {
		var s Steadiness
		for i, whose := range c.whose {
			d := &Decision{Round: c.round + uint32(i), Members: all, Running: &Counted{Key: "k", Members: whose}}
			if got := s.Add(d); got != c.want[i] {
				t.Errorf("%s: round %d: got %t", name, d.Round, got)
			}
		}
	}
	var lost Steadiness
	for round := uint32(1); round < 40; round++ {
		members := four
		if round == 1 {
			members = all
		}
		if got := lost.Add(&Decision{Round: round, Running: &Counted{Key: "k", Members: members}}); got != (round > awaited) {
			t.Errorf("without a member since round 2: round %d: got %t", round, got)
		}
	}
	var plain Steadiness
	plain.Add(&Decision{Round: 1, Members: all})
	plain.Add(&Decision{Round: 2, Members: four})
	if !plain.Add(&Decision{Round: 3, Members: four}) {
		t.Error("plain sums wait for a member that is away, although they have none of its vectors")
	}
}
