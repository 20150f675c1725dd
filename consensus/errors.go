package consensus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/internal/files/printable"
)

// A LostError reports members that take no further part: they have been silent for too long, or
// have left.
type LostError struct {
	Members []int
	Names   []string
	Reason  string // words that follow the names
	Via     string // name of the member that reported it; empty for this member
}

func (e *LostError) Error() string {
	s := fmt.Sprintf("lost %s: %s", strings.Join(e.Names, ", "), e.Reason)
	if e.Via != "" {
		s += " (reported by " + e.Via + ")"
	}
	return s
}

// A MemberError names a member that sent something that no honest member sends. Reason is sent
// to all members; Detail may contain private values and is not sent.
type MemberError struct {
	Member   int
	Name     string
	Reason   string
	Detail   string
	Evidence *Evidence // nil if nothing was signed
}

func (e *MemberError) Error() string {
	if e.Detail != "" {
		return e.Name + " " + e.Reason + ": " + e.Detail
	}
	return e.Name + " " + e.Reason
}

// A ParametersError reports members that compute from different parameters, whose total would
// be meaningless.
type ParametersError struct {
	Round uint32
	// Members hold parameters other than Most, the digest of the majority. If no majority
	// exists, Most is zero and Members are all members compared.
	Members []int
	Names   []string
	Digests [][32]byte // digests of the parameters that Members hold
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
	return s + ": run the same version everywhere; if the versions agree, test the memory of these machines"
}

// An AbortError reports that this member has ended the run.
type AbortError struct {
	Reason  string
	Returns bool // this member may come back and continue
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

// finishedError reports that a member has finished its run although this one continues.
func (r *roster) finishedError(member int) error {
	return r.lostError([]int{member}, "it has finished its run, but this member has not: run the same version with the same settings everywhere", "")
}

// leftError reports the members that have left for good, so that too few remain. The reason is
// that of the first of them.
func (r *roster) leftError(left []int, l *Leave) error {
	if slices.Contains(l.Blame, uint32(r.self)) {
		return r.lostError(left[:1], "it considers this member lost: check the network between the two", "")
	}
	var blame []int
	for _, b := range l.Blame {
		if int(b) < len(r.names) {
			blame = append(blame, int(b))
		}
	}
	if len(blame) > 0 {
		return r.lostError(blame, oneLine(l.Reason), r.names[left[0]])
	}
	return r.lostError(left, oneLine(l.Reason), "")
}

// leaveOf returns the message that reports to the others why the run ends here: the members that
// caused it, or this member's reason. Of other errors, which may contain private values, it only
// reports that one occurred.
func leaveOf(err error) *Leave {
	l := &Leave{Reason: "it ended with an error; see its log"}
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
		l.Reason = fmt.Sprintf("its parameters differ from those of most members in round %d", err.Round)
		if err.Most == [32]byte{} {
			l.Reason = fmt.Sprintf("members hold different parameters in round %d", err.Round)
		}
		for _, s := range err.Members {
			l.Blame = append(l.Blame, uint32(s))
		}
	case *chunking.TotalError:
		l.Reason = "a total was larger than the sum of all bounds"
	case *RemovedError:
		// A member that has not heard of the removal should learn it from the remaining
		// members, not give up the run.
		l.Reason, l.Returns = "it was removed from the roster", true
	case *AbortError:
		l.Reason, l.Returns = err.Reason, err.Returns
	}
	return l
}

// oneLine makes a reason from another member safe to print on one line of a terminal.
func oneLine(s string) string { return printable.Line(s, 300) }
