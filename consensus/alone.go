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
	for _, lost := range w.lostMembers(m.now) {
		by[lost] = append(by[lost], w.self)
	}
	present := 1
	for i, s := range w.watched {
		if s == w.self || w.lost(m.now, s) {
			continue
		}
		present++
		for _, lost := range w.peers[i].heartbeat().Suspects {
			by[int(lost)] = append(by[int(lost)], s)
		}
	}
	for _, lost := range slices.Sorted(maps.Keys(by)) {
		hear := present - len(by[lost])
		if !slices.Contains(by[lost], w.self) {
			hear-- // the lost member itself does not count
		}
		if len(by[lost]) == 1 && by[lost][0] != lost && lost != w.self && hear >= w.Quorum && w.peer(m.now, lost).left == nil {
			found = append(found, Alone{uint32(by[lost][0]), uint32(lost)})
		}
	}
	return found
}
