package consensus

import (
	"maps"
	"slices"
)

// compare ends the run unless all members that have opened the attempt towards this one
// compute from the same parameters. Each does so before it adds anything of the others
// to its own, so no total of unlike members comes about.
func (m *Machine) compare(a *attempt, e *Effects) (same bool) {
	if err := m.unlike(a); err != nil {
		m.fail(e, err)
		return false
	}
	return true
}

// unlike returns an error if members that have opened the attempt, this one included,
// differ in their parameters.
func (m *Machine) unlike(a *attempt) error {
	own := m.slot.call.header
	held := map[int][32]byte{m.p.Self: own.Parameters}
	for from, b := range a.seeds {
		held[from] = b.Header.Parameters
	}
	for from, b := range a.gathered {
		held[from] = b.Header.Parameters
	}
	counts := map[[32]byte]int{}
	for _, d := range held {
		counts[d]++
	}
	if len(counts) == 1 {
		return nil
	}
	err := &ParametersError{Round: own.Round}
	majority := false
	for d, n := range counts {
		if 2*n > len(held) {
			err.Most, majority = d, true
		}
	}
	for _, member := range slices.Sorted(maps.Keys(held)) {
		if d := held[member]; !majority || d != err.Most {
			err.Members = append(err.Members, member)
			err.Names = append(err.Names, m.p.Members[member])
			err.Digests = append(err.Digests, d)
		}
	}
	return err
}
