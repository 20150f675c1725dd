package consensus

import (
	"maps"
	"slices"
)

// An Alone is a member, By, that alone considers member Of lost: a quorum hears Of. The link of
// the two is broken, or By reports something untrue.
type Alone struct{ By, Of uint32 }

// alone finds the Alones in the heartbeats, for display. No decision depends on them.
func (m *Machine) alone() (found []Alone) {
	w := &m.monitor
	if !w.decides(w.self) { // it does not hear all members
		return nil
	}
	by := map[int][]int{} // lost member → the members that consider it lost
	for _, of := range w.lostMembers(m.now) {
		by[of] = append(by[of], w.self)
	}
	there := 1
	for i, s := range w.watched {
		if s == w.self || w.lost(m.now, s) {
			continue
		}
		there++
		for _, of := range w.peers[i].heartbeat.Suspects {
			by[int(of)] = append(by[int(of)], s)
		}
	}
	for _, of := range slices.Sorted(maps.Keys(by)) {
		hear := there - len(by[of])
		if !slices.Contains(by[of], w.self) {
			hear-- // the lost member itself does not count
		}
		if len(by[of]) == 1 && by[of][0] != of && of != w.self && hear >= w.Quorum && w.peer(m.now, of).left == nil {
			found = append(found, Alone{uint32(by[of][0]), uint32(of)})
		}
	}
	return found
}
