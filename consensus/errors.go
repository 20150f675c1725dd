package consensus

import (
	"fmt"
	"strings"
	"time"
)

// LostError says that members were silent for longer than Params.Lost, or that
// another member has ended the run for that reason.
type LostError struct {
	Members []int
	Names   []string
	Silent  time.Duration // how long; 0 if another member says so
	Via     string        // the other member, if any
}

func (e *LostError) Error() string {
	names := strings.Join(e.Names, ", ")
	if e.Via != "" {
		return fmt.Sprintf("lost %s: %s heard nothing from it any more and has ended the run", names, e.Via)
	}
	return fmt.Sprintf("lost %s: nothing heard for %s", names, e.Silent.Round(time.Second/10))
}

// MemberError says that a member has left, or sent what no honest member sends.
type MemberError struct {
	Member int
	Name   string
	Reason string
}

func (e *MemberError) Error() string { return e.Name + " " + e.Reason }

// AbortError says that the run was ended at this member.
type AbortError struct{ Reason string }

func (e *AbortError) Error() string { return e.Reason }

func (m *Machine) memberError(member int, reason string) error {
	return &MemberError{Member: member, Name: m.p.Members[member], Reason: reason}
}

func (m *Machine) lostError(members []int, silent time.Duration, via string) error {
	e := &LostError{Members: members, Silent: silent, Via: via}
	for _, s := range members {
		e.Names = append(e.Names, m.p.Members[s])
	}
	return e
}

// leftError says why a member that has left did so.
func (m *Machine) leftError(member int) error {
	l := m.peers[member].left
	var blame []int
	for _, b := range l.Blame {
		if int(b) < len(m.p.Members) && int(b) != m.p.Self {
			blame = append(blame, int(b))
		}
	}
	if len(blame) > 0 {
		return m.lostError(blame, 0, m.p.Members[member])
	}
	if len(l.Blame) > 0 {
		return m.memberError(member, "has left, having heard nothing from this member: check the network between the two")
	}
	return m.memberError(member, "has left: "+printable(l.Reason))
}

// leaveOf returns what to tell the others about the end of the run here. An
// error of this member's own may hold private values, so they learn only that
// there was one.
func leaveOf(err error) *Leave {
	switch err := err.(type) {
	case *LostError:
		l := &Leave{Reason: err.Error()}
		for _, s := range err.Members {
			l.Blame = append(l.Blame, uint32(s))
		}
		return l
	case *MemberError, *AbortError:
		return &Leave{Reason: err.Error()}
	}
	return &Leave{Reason: "an error of its own, which its log tells"}
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
