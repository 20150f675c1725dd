package consensus

import (
	"maps"
	"slices"
)

// compare ends the run unless all members that opened the attempt towards this one compute from
// the same parameters. Each member compares before it uses the others' data, so different
// parameters never produce a total.
func (m *Machine) compare(a *attempt, e *Effects) (same bool) {
	own := m.slot.call.header.Parameters
	same = true
	for _, b := range a.seeds {
		same = same && b.Header.Parameters == own
	}
	for _, b := range a.blobs {
		same = same && b.Header.Parameters == own
	}
	if same {
		return true
	}
	held := map[int][32]byte{m.p.Self: own}
	for from, b := range a.seeds {
		held[from] = b.Header.Parameters
	}
	for from, b := range a.blobs {
		held[from] = b.Header.Parameters
	}
	counts := map[[32]byte]int{}
	for _, d := range held {
		counts[d]++
	}
	err := &ParametersError{Round: m.slot.call.header.Round}
	for d, n := range counts {
		if 2*n > len(held) {
			err.Most = d
		}
	}
	for _, member := range slices.Sorted(maps.Keys(held)) {
		if d := held[member]; d != err.Most || counts[d]*2 <= len(held) {
			err.Members = append(err.Members, member)
			err.Names = append(err.Names, m.p.Members[member])
			err.Digests = append(err.Digests, d)
		}
	}
	m.fail(e, err)
	return false
}
