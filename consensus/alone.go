package consensus

import (
	"maps"
	"slices"
)

// Alone says that one member takes another for lost of which a quorum hears: the link between
// the two is broken, or By says what is not so.
type Alone struct{ By, Of uint32 }

// alone returns the members that alone take another for lost, as far as heartbeats tell.
// Nothing is decided by it.
func (m *Machine) alone() (found []Alone) {
	w := &m.monitor
	if !w.decides(w.self) { // it does not hear all
		return nil
	}
	by := map[int][]int{} // members that take another for lost, by that
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
			hear-- // it is there itself
		}
		if len(by[of]) == 1 && by[of][0] != of && of != w.self && hear >= w.Quorum && w.peer(m.now, of).left == nil {
			found = append(found, Alone{uint32(by[of][0]), uint32(of)})
		}
	}
	return found
}
