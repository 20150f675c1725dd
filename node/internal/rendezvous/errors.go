package rendezvous

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// A DisagreementError reports that another member has a different agreement.
type DisagreementError struct {
	Peer   string // name and ID of the member
	Field  string
	Own    string // the values, quoted
	Theirs string
	Fix    string // what to do; "" is to start both with the same value
}

func (e *DisagreementError) Error() string {
	return fmt.Sprintf("%s disagrees on %s: this node has %s, the other %s: %s", e.Peer, e.Field, e.Own, e.Theirs, cmp.Or(e.Fix, "start both with the same value"))
}

// A DuplicateNameError reports that two members have the same name.
type DuplicateNameError struct {
	Name  string
	Peers []string // IDs of the two
}

func (e *DuplicateNameError) Error() string {
	return fmt.Sprintf("two members are named %q (%s): give each a different name", e.Name, strings.Join(e.Peers, " and "))
}

// A TooManyError reports more processes than the run has members.
type TooManyError struct {
	Want  int
	Found []string // names and IDs, this node first
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("found %d processes for a run of %d (%s): stop the surplus processes, or start all with the right number", len(e.Found), e.Want, strings.Join(e.Found, ", "))
}

// A StrangerError reports that a roster does not list a peer.
type StrangerError struct {
	Peer   string // the owner of the roster
	Detail string
}

func (e *StrangerError) Error() string { return e.Peer + " " + e.Detail }

// A RosterError reports that the members can no longer agree on who takes part.
type RosterError struct{ Peer, Detail string }

func (e *RosterError) Error() string {
	return e.Peer + " " + e.Detail + ": start all members again"
}

// An OverError reports that the run to resume is over at another member.
type OverError struct{ Peer string }

func (e *OverError) Error() string {
	return "the run of this node is over for " + e.Peer + ": start all members again for a new one; this node's model is that of its last round"
}

// An EndedError reports that a newcomer has ended its part in the run for good.
type EndedError struct{ Name string }

func (e *EndedError) Error() string {
	return e.Name + " has ended its part in this run for good: remove it by a change of the roster, and add a member with a new folder"
}

// A JoinTimeoutError reports that not all members were found in time.
type JoinTimeoutError struct {
	After   time.Duration
	Want    int
	Present []string
	Missing []string // as far as their names are known
	Apart   error    // why this process and one that it has met cannot be in one run; nil if they can
}

func (e *JoinTimeoutError) Error() string {
	s := fmt.Sprintf("not all members within %s: want %d, got %d (%s), missing %s: start them, or check their addresses and the network",
		e.After, e.Want, len(e.Present), strings.Join(e.Present, ", "), listMissing(e.Want, len(e.Present), e.Missing))
	if e.Apart != nil {
		s += "; " + e.Apart.Error()
	}
	return s
}

// Unwrap returns e.Apart.
func (e *JoinTimeoutError) Unwrap() error { return e.Apart }

// listMissing lists the names of the missing members, and the number of those without a known
// name.
func listMissing(want, present int, missing []string) string {
	list := strings.Join(missing, ", ")
	unknown := want - present - len(missing)
	switch {
	case unknown <= 0:
		return list
	case list != "":
		list += " and "
	}
	return list + fmt.Sprintf("%d unknown", unknown)
}
