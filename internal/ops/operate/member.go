package operate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// MemberState is where a member stands.
type MemberState string

// The states of members.
const (
	Here    MemberState = "here"    // found, or connected in a pause by agreement
	Missing MemberState = "missing" // not found yet
	Summed  MemberState = "summed"  // in the sums
	Out     MemberState = "out"     // connected, but not in the sums
	Lost    MemberState = "lost"    // silent, or has left
	Away    MemberState = "away"    // lost in a pause by agreement, in which members may be away
)

// Member is a member of a run as its process sees it.
type Member struct {
	Name   string      `json:"name"`             // its name
	Peer   string      `json:"peer,omitempty"`   // its peer ID, if known
	Own    bool        `json:"own,omitempty"`    // whether it is the member of this process
	State  MemberState `json:"state"`            // here, missing, summed, out, lost or away
	Reason string      `json:"reason,omitempty"` // why it is out, lost or away
	Via    string      `json:"via,omitempty"`    // the member that relays it, if any
	Waited time.Time   `json:"waited,omitzero"`  // since when the others wait for it
	waited time.Duration
}

// members returns the members in the order of their names.
func (s *Status) members() []Member {
	n := s.Node
	if n == nil {
		return nil
	}
	var list []Member
	index := map[string]int{}
	at := func(named string) *Member {
		name, peer, _ := strings.Cut(named, " (")
		i, known := index[name]
		if !known {
			i, index[name] = len(list), len(list)
			list = append(list, Member{Name: name, Own: name == n.Name})
		}
		if peer != "" {
			list[i].Peer = strings.TrimSuffix(peer, ")")
		}
		return &list[i]
	}
	set := func(names []string, state MemberState) {
		for _, name := range names {
			at(name).State = state
		}
	}
	in, lost := Summed, Lost
	if n.PausedBy > 0 {
		in, lost = Here, Away
	}
	set(n.Present, Here)
	set(n.Missing, Missing)
	set(n.Members, in)
	for _, a := range n.Absent {
		m := at(a.Name)
		m.State, m.Reason = Out, a.Reason
		if a.Lost {
			m.State = lost
		}
	}
	for _, w := range n.Waiting {
		m := at(w.Name)
		m.waited, m.Waited = w.For, s.At.Add(-w.For).Truncate(time.Second)
	}
	for _, l := range n.Links {
		at(l.Name).Via = l.Via
	}
	for _, named := range s.Roster {
		if name, _, _ := strings.Cut(named, " ("); slices.ContainsFunc(list, func(m Member) bool { return m.Name == name }) {
			at(named)
		}
	}
	slices.SortFunc(list, func(x, y Member) int { return cmp.Compare(x.Name, y.Name) })
	return list
}

// String describes the state of the member.
func (m Member) String() string {
	text := map[MemberState]string{
		Here: "here", Missing: "missing", Summed: "in the sums", Out: "not in the sums: " + m.Reason, Lost: "lost: " + m.Reason, Away: "away: " + m.Reason,
	}[m.State]
	if m.waited >= time.Second {
		text += fmt.Sprintf(", waited for %s", m.waited.Round(time.Second))
	}
	if m.Via != "" {
		text += ", through " + m.Via
	}
	if m.Own {
		text += " (this member)"
	}
	return strings.TrimPrefix(text, ", ")
}
