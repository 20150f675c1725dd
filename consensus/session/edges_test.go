package session

import (
	"slices"
	"testing"
)

// The edges of a plan are the pairs that exchange frames in a session.
func TestEdgesAreThePairsThatExchangeFrames(t *testing.T) {
	for _, size := range []int{2, 3, 4, 5, 7, 8, 13, 16, 20} {
		for _, p := range plans(t, size) {
			sessions, members := make([]Session, size), make([]int, size)
			for i := range members {
				members[i] = i
			}
			for i := range sessions {
				sessions[i] = p.New(Placement{Members: members, Self: i}, make([]uint64, 4*size))
			}
			got := pairs(func(hear func(v, w int)) {
				for i, s := range sessions {
					for round := range p.Rounds() {
						for _, port := range s.(*machine).hears(round) {
							hear(i, port.from)
						}
					}
				}
			})
			if want := p.Edges(); !slices.Equal(got, want) {
				t.Errorf("%s of %d: got %v, want %v", p.Name(), size, want, got)
			}
		}
	}
}
