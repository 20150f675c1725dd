package consensus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/chunking"
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
	Member   int
	Name     string
	Reason   string
	Detail   string
	Evidence *Evidence // nil where nothing was signed
}

func (e *MemberError) Error() string {
	if e.Detail != "" {
		return e.Name + " " + e.Reason + ": " + e.Detail
	}
	return e.Name + " " + e.Reason
}

// ParametersError says that members compute from different parameters, so that a total
// of theirs would mean nothing.
type ParametersError struct {
	Round uint32
	// Members hold others than most of those that this member compares, Most; or are all
	// of these, and Most is zero, where no parameters are held by more than half.
	Members []int
	Names   []string
	Digests [][32]byte // of what they hold
	Most    [32]byte
}

func (e *ParametersError) Error() string {
	var held []string
	for i, name := range e.Names {
		held = append(held, fmt.Sprintf("%s %x", name, e.Digests[i][:4]))
	}
	s := fmt.Sprintf("round %d: members hold different parameters: %s", e.Round, strings.Join(held, ", "))
	if e.Most != [32]byte{} {
		s += fmt.Sprintf(", most members %x", e.Most[:4])
	}
	return s + ": run the same version everywhere; where it is the same, test the memory of the machines named"
}

// AbortError says that the run was ended at this member.
type AbortError struct {
	Reason  string
	Returns bool // this member may come back and go on
}

func (e *AbortError) Error() string { return e.Reason }

func (r *roster) memberError(member int, reason string) *MemberError {
	return &MemberError{Member: member, Name: r.names[member], Reason: reason}
}

func (r *roster) lostError(members []int, reason, via string) error {
	e := &LostError{Members: members, Reason: reason, Via: via}
	for _, s := range members {
		e.Names = append(e.Names, r.names[s])
	}
	return e
}

// finishedError says that a member has ended its run as planned, but this one goes
// on.
func (r *roster) finishedError(member int) error {
	return r.lostError([]int{member}, "it has finished its run, and this member goes on: run the same version with the same settings everywhere", "")
}

// leftError says who has left for good, so that the rest are too few, and how the first
// of them did.
func (r *roster) leftError(left []int, l *Leave) error {
	if slices.Contains(l.Blame, uint32(r.self)) {
		return r.lostError(left[:1], "it has given this member up: check the network between the two", "")
	}
	var blame []int
	for _, b := range l.Blame {
		if int(b) < len(r.names) {
			blame = append(blame, int(b))
		}
	}
	if len(blame) > 0 {
		return r.lostError(blame, printable(l.Reason), r.names[left[0]])
	}
	return r.lostError(left, printable(l.Reason), "")
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
		if err.Evidence != nil {
			if pairs := TwoFaced(err.Evidence.Votes); len(pairs) > 0 {
				l.Votes = pairs[0][:]
			}
		}
	case *ParametersError:
		l.Reason = fmt.Sprintf("it holds other parameters than most members in round %d", err.Round)
		if err.Most == [32]byte{} {
			l.Reason = fmt.Sprintf("members hold different parameters in round %d", err.Round)
		}
		for _, s := range err.Members {
			l.Blame = append(l.Blame, uint32(s))
		}
	case *chunking.TotalError:
		l.Reason = "a total was larger than all bounds together allow"
	case *RemovedError:
		// Who does not know of that yet is to hear of it from those who are left, not to
		// give the run up.
		l.Reason, l.Returns = "it is not of the roster any more", true
	case *AbortError:
		l.Reason, l.Returns = err.Reason, err.Returns
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
