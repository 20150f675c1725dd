package consensus

import (
	"errors"
	"fmt"
)

// checkState reports what no process writes: what goes on from there would not be
// what the others were told. An attempt without a view is of the preset one.
func (m *Machine) checkState(preset *View, st *slotState) error {
	views := append([]*View{preset}, st.Own...)
	var ranks []uint32
	for i := range st.Attempts {
		a := &st.Attempts[i]
		if a.View == nil {
			a.View = preset
		}
		if len(a.Pad) != 32 || a.View.Finish != nil {
			return fmt.Errorf("want a pad of 32 bytes and a new view of each attempt, got %d bytes", len(a.Pad))
		}
		views = append(views, a.View)
		for _, s := range a.Shares {
			ranks = append(ranks, s.Member)
		}
		for _, c := range a.Commits {
			ranks = append(ranks, c.Member)
		}
	}
	for _, p := range st.Pads {
		ranks = append(ranks, p.Member)
	}
	for _, v := range views {
		if v == nil || v.Finish == nil && !v.amends() && len(v.Members) < 2 {
			return errors.New("want views of at least 2 members")
		}
		if err := m.checkMembersOf(v.Members); err != nil {
			return err
		}
	}
	for _, r := range ranks {
		if int(r) >= len(m.p.Members) {
			return fmt.Errorf("want members of a roster of %d, got %d", len(m.p.Members), r)
		}
	}
	return nil
}

func (m *Machine) checkSealed(s *Sealed, err error) (*Sealed, error) {
	if err != nil {
		return nil, err
	}
	n := len(s.Members)
	if k := s.Header.Kind; k != Sum && k != Gather && k != Amend {
		return nil, fmt.Errorf("want the result of a sum, a gather or an amendment, got that of an %s", k)
	}
	if s.Header.Kind == Amend && len(s.Blobs) != 1 {
		return nil, fmt.Errorf("want one amendment, got %d", len(s.Blobs))
	}
	if len(s.Commits) != 0 && len(s.Commits) != n || s.Header.Kind == Gather && len(s.Blobs) != n {
		return nil, fmt.Errorf("want the result of %d members, got %d commitments and %d blobs", n, len(s.Commits), len(s.Blobs))
	}
	return s, m.checkMembersOf(s.Members)
}

func (m *Machine) checkMembersOf(members []uint32) error {
	for i, r := range members {
		if int(r) >= len(m.p.Members) || i > 0 && r <= members[i-1] {
			return fmt.Errorf("want members of a roster of %d in rank order, got %d", len(m.p.Members), members)
		}
	}
	return nil
}
