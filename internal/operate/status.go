package operate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/node"
)

// Phase is what a process is at, from its start to its end.
type Phase string

// The phases.
const (
	Loading Phase = "loading" // reads its rows
	Joining Phase = "joining" // looks for the other members
	Running Phase = "running" // trains with them
	Saving  Phase = "saving"  // has ended its part, and writes the results
)

// Phases are all of them in their order.
var Phases = []Phase{Loading, Joining, Running, Saving}

// Status is how a process is doing. Durations are in nanoseconds.
type Status struct {
	Release string        `json:"release"` // of the program
	Name    string        `json:"name"`
	Model   string        `json:"model,omitempty"` // kind
	Phase   Phase         `json:"phase"`
	At      time.Time     `json:"at"` // of this status
	Began   time.Time     `json:"began"`
	Since   time.Time     `json:"since"` // of the phase
	Run     string        `json:"run,omitempty"`
	Round   int           `json:"round"`            // the last that this member has ended
	Rounds  int           `json:"rounds,omitempty"` // at most; 0 if that is not known
	Pace    time.Duration `json:"pace,omitempty"`   // per round, over the last ones; 0 if it is not known
	Spent   []Spent       `json:"spent,omitempty"`  // differential privacy of all runs and releases of the folder
	Warned  []Warning     `json:"warned,omitempty"` // the last warnings, the newest at the end
	Warns   int           `json:"warnings"`         // how many there were in all
	Node    *node.Status  `json:"node,omitempty"`   // once it has begun to join
	Process Process       `json:"process"`
}

// Warning is one that the process has given.
type Warning struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// Spent is the loss of what noise hides, or of all releases, as the folder's ledger has it.
type Spent struct {
	By report.EntryKind `json:"by"`
	report.Spend
}

// Process is what the process takes of its machine.
type Process struct {
	Goroutines int    `json:"goroutines"`
	HeapBytes  uint64 `json:"heap_bytes"`
	StateBytes int64  `json:"state_bytes"` // of state.db
}

// Public returns the status for others than the folder's owner: without the texts of warnings. Some of
// them rest on the own rows, as result.json does.
func (s *Status) Public() *Status {
	public := *s
	public.Warned = nil
	return &public
}

// Left returns the time that the rounds left take at most, at the pace of the last ones.
func (s *Status) Left() (left time.Duration, known bool) {
	if s.Phase != Running || s.Rounds == 0 || s.Pace == 0 {
		return 0, false
	}
	return time.Duration(max(0, s.Rounds-s.Round)) * s.Pace, true
}

// Ready reports whether the process has joined the others, and what it is at.
func (s *Status) Ready() (ready bool, what string) {
	switch s.Phase {
	case Running, Saving:
		return true, s.What()
	}
	return false, s.What()
}

// Healthy reports whether the process contributes, or is on its way there, and what it is
// at. Members that are waited for make nobody else unhealthy: a restart would not help.
func (s *Status) Healthy() (healthy bool, what string) {
	if n := s.Node; s.Phase == Running && n != nil {
		if n.State == "failed" {
			return false, "the run has failed: " + s.What()
		}
		if n.PausedBy > 0 { // a restart would not help
			return true, s.What()
		}
		if why, out := s.out(); out {
			return false, "this member is not in the sums: " + why
		}
	}
	return true, s.What()
}

// out reports whether the others continue without this member, and why.
func (s *Status) out() (why string, out bool) {
	n := s.Node
	for _, a := range n.Absent {
		if a.Name == n.Name {
			return a.Reason, true
		}
	}
	if len(n.Members) > 0 && !slices.Contains(n.Members, n.Name) {
		return "it was not in the last one", true
	}
	return "", false
}

// What returns in a few words what the process is at, and whom it waits for.
func (s *Status) What() string {
	n := s.Node
	switch {
	case s.Phase == Loading:
		return "reading the rows"
	case s.Phase == Saving:
		return "writing the results"
	case n == nil:
		return "joining"
	case s.Phase == Joining:
		return joining(n, s.At)
	case n.PausedBy > 0:
		what := fmt.Sprintf("round %d: paused by agreement, change %d", s.Round+1, n.PausedBy)
		if !n.Since.IsZero() {
			what += ", since " + n.Since.UTC().Format("2006-01-02 15:04 MST")
		}
		return what
	case n.Paused:
		return fmt.Sprintf("round %d: paused: %d of %d members are needed", s.Round+1, n.Least, n.Want)
	}
	what := fmt.Sprintf("round %d: ", s.Round+1)
	var names []string
	var longest time.Duration
	for _, w := range n.Waiting {
		if w.For >= time.Second {
			names, longest = append(names, w.Name), max(longest, w.For)
		}
	}
	switch {
	case n.State == "computing":
		return what + "computing"
	case len(names) > 0:
		return fmt.Sprintf("%swaiting for %s, %s", what, strings.Join(names, ", "), longest.Round(time.Second))
	}
	return what + cmp.Or(n.Call, n.State)
}

func joining(n *node.Status, now time.Time) string {
	if n.Want == 0 {
		return "joining"
	}
	line := fmt.Sprintf("joining: %d of %d members are here", len(n.Present), n.Want)
	if len(n.Missing) > 0 {
		line += "; waiting for " + Names(n.Missing)
	}
	if begins := BeginsIn(n.BeginAt, now); begins != "" {
		line += "; " + begins
	}
	return line
}

// Names leaves the peer IDs out of members' descriptions.
func Names(members []string) string {
	short := make([]string, len(members))
	for i, m := range members {
		short[i], _, _ = strings.Cut(m, " (")
	}
	return strings.Join(short, ", ")
}
