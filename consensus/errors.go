package consensus

import (
	"fmt"
	"slices"
	"strings"
)

// LostError says that members take no part any more: they were silent for longer
// than Params.Lost, or have left.
type LostError struct {
	Members []int
	Names   []string
	Reason  string // in words that follow the names
	Via     string // the other member that says so, if any
}

func (e *LostError) Error() string {
	s := fmt.Sprintf("lost %s: %s", strings.Join(e.Names, ", "), e.Reason)
	if e.Via != "" {
		s += " (says " + e.Via + ")"
	}
	return s
}

// MemberError says that a member sent what no honest member sends. The reason is
// told to all members, the detail, which may hold values, to none.
type MemberError struct {
	Member int
	Name   string
	Reason string
	Detail string
}

func (e *MemberError) Error() string {
	if e.Detail != "" {
		return e.Name + " " + e.Reason + ": " + e.Detail
	}
	return e.Name + " " + e.Reason
}

// TotalError says that a total is larger than the bounds of all members together
// allow, so that members must have expanded a chunk differently, or lost one.
type TotalError struct{ Value int }

func (e *TotalError) Error() string {
	return fmt.Sprintf("value %d of the total is larger than all bounds together allow: members have expanded a chunk differently; run the same version everywhere", e.Value)
}

// AbortError says that the run was ended at this member.
type AbortError struct{ Reason string }

func (e *AbortError) Error() string { return e.Reason }

func (m *Machine) memberError(member int, reason string) *MemberError {
	return &MemberError{Member: member, Name: m.p.Members[member], Reason: reason}
}

func (m *Machine) lostError(members []int, reason, via string) error {
	e := &LostError{Members: members, Reason: reason, Via: via}
	for _, s := range members {
		e.Names = append(e.Names, m.p.Members[s])
	}
	return e
}

// finishedError says that a member has ended its run as planned, but this one goes
// on.
func (m *Machine) finishedError(member int) error {
	return m.lostError([]int{member}, "it has finished its run, and this member goes on: run the same version with the same settings everywhere", "")
}

// leftError says why a member that has left did so: because of others, or by
// itself.
func (m *Machine) leftError(member int) error {
	l := m.peers[member].left
	if slices.Contains(l.Blame, uint32(m.p.Self)) {
		return m.lostError([]int{member}, "it has given this member up: check the network between the two", "")
	}
	var blame []int
	for _, b := range l.Blame {
		if int(b) < len(m.p.Members) {
			blame = append(blame, int(b))
		}
	}
	if len(blame) > 0 {
		return m.lostError(blame, printable(l.Reason), m.p.Members[member])
	}
	return m.lostError([]int{member}, printable(l.Reason), "")
}

// leaveOf returns what to tell the others about the end of the run here: the
// members that are the cause, or this member's own reason. An error of its own may
// hold private values, so they learn only that there was one.
func leaveOf(err error) *Leave {
	l := &Leave{Reason: "it met an error, which its log tells"}
	switch err := err.(type) {
	case *LostError:
		l.Reason = err.Reason
		for _, s := range err.Members {
			l.Blame = append(l.Blame, uint32(s))
		}
	case *MemberError:
		l.Reason, l.Blame = "it "+err.Reason, []uint32{uint32(err.Member)}
	case *TotalError:
		l.Reason = "a total was larger than all bounds together allow"
	case *AbortError:
		l.Reason = err.Reason
	}
	return l
}

// printable makes a reason from another member fit for one line of a terminal.
func printable(s string) string {
	const most = 300
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
