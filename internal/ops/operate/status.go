package operate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

// Phase is a phase of a process.
type Phase string

// The phases.
const (
	Loading Phase = "loading" // reads its rows
	Joining Phase = "joining" // finds the other members
	Running Phase = "running" // trains with them
	Saving  Phase = "saving"  // has done its part, and writes the results
)

// Ended is the phase of a finished run without a process, which is read from files.
const Ended Phase = "ended"

// Phases are all phases of a process in order.
var Phases = []Phase{Loading, Joining, Running, Saving}

// Status is the state of a process: what its operator, other programs and probes are shown all
// derive from it. Durations are in nanoseconds.
type Status struct {
	Release string        `json:"release"`          // the version of the program
	Name    string        `json:"name"`             // that of the member
	Model   string        `json:"model,omitempty"`  // its kind
	Phase   Phase         `json:"phase"`            // loading, joining, running or saving
	At      time.Time     `json:"at"`               // the time of this status
	Began   time.Time     `json:"began"`            // when the process started
	Since   time.Time     `json:"since"`            // when the phase began
	Run     string        `json:"run,omitempty"`    // the identity of the run, once it has begun
	Roster  []string      `json:"roster,omitempty"` // the members of the run with their peer IDs, once it has begun
	Round   int           `json:"round"`            // the last round that this member has completed
	Rounds  int           `json:"rounds,omitempty"` // rounds at most, if known
	Pace    time.Duration `json:"pace,omitempty"`   // the median duration of the last rounds, if known
	// Resumed is the last round that was decided before this process began.
	Resumed int `json:"resumed,omitempty"`
	// Agreement is what has become of the last changes in the agreement's file.
	Agreement string `json:"agreement,omitempty"`
	// Spent is the differential privacy spent by all runs and releases of the folder.
	Spent []Spent `json:"spent,omitempty"`
	// NodeWarns is the number of warnings of the node, such as those of lost members.
	NodeWarns int          `json:"node_warnings"`
	Node      *node.Status `json:"node,omitempty"` // the node, once it begins to join
	Process   Process      `json:"process"`        // its use of resources

	// The fields below depend on rows, and are only for the owner of the folder: Public leaves them
	// out.

	// Last is the last completed round, for the owner of the folder.
	Last *Round `json:"last,omitempty"`
	// Warned are the last warnings, the newest at the end, for the owner of the folder.
	Warned []Warning `json:"warned,omitempty"`
	// Warns is the number of all warnings, for the owner of the folder.
	Warns int `json:"warnings,omitempty"`
	// Known are the last statements about what all members have come to know of a member, for the
	// owner of the folder.
	Known []Warning `json:"known,omitempty"`
	// Knowns is the number of all such statements, for the owner of the folder.
	Knowns int `json:"known_in_all,omitempty"`
}

// Round is a completed round as its member saw it.
type Round struct {
	// Loss falls during training: minus the objective of a row, or the step of the centres.
	Loss report.Figure `json:"loss,omitzero"`
	// Objective is what training improves, before the round's step; for some kinds after it.
	Objective report.Figure `json:"objective,omitzero"`
	Step      bool          `json:"step,omitempty"`      // whether loss is a step
	Members   int           `json:"members"`             // members in the sums
	Clusters  int           `json:"clusters,omitempty"`  // clusters found, if any
	Converged bool          `json:"converged,omitempty"` // whether the stopping rule was met
	// Contribution is the number of rows behind the smallest contribution, if measured.
	Contribution report.Figure `json:"smallest_contribution,omitzero"`
	// LowDiversity lists what was done about components with too few of the member's rows.
	LowDiversity []LowDiversity `json:"low_diversity,omitempty"`
	Information  report.Figure  `json:"information,omitzero"`   // of a row and its code, in nats, if there is an encoder
	ActiveUnits  int            `json:"active_units,omitempty"` // dimensions of the code that vary with the row
	Latent       int            `json:"latent,omitempty"`       // all dimensions of the code
	Weight       report.Figure  `json:"weight,omitzero"`        // of this member, if members have weights
	Discrepancy  report.Figure  `json:"discrepancy,omitzero"`   // of the member's rows from all others', if measured
	Virtual      time.Duration  `json:"virtual,omitempty"`      // the time of a simulation
}

// LowDiversity is a component with too few of the member's rows, and how it was treated.
type LowDiversity struct {
	Component int    `json:"component"` // its number, from 1
	Action    string `json:"action"`    // skip-component or noise
}

// Warning is a warning of the process.
type Warning struct {
	At time.Time `json:"at"` // when it was given
	report.Warning
}

// Spent is the privacy loss of all noise in runs, or of all releases, in the folder's ledger.
type Spent struct {
	By report.EntryKind `json:"by"` // noise, of runs, or release
	report.Spend
}

// Process is the process's use of resources.
type Process struct {
	Goroutines int    `json:"goroutines"`           // running
	HeapBytes  uint64 `json:"heap_bytes,omitempty"` // memory in use, for the owner of the folder
	StateBytes int64  `json:"state_bytes"`          // the size of state.db
}

// Public returns the status for others than the folder's owner: what depends on rows is left out,
// except how long work on rows takes, which all members see.
func (s *Status) Public() *Status {
	public := *s
	public.Last, public.Warned, public.Warns, public.Known, public.Knowns = nil, nil, 0, nil, 0
	public.Process.HeapBytes = 0
	return &public
}

// Left returns the longest time for the remaining rounds, at the pace of the last ones. It is
// unknown while the member catches up.
func (s *Status) Left() (left time.Duration, known bool) {
	if s.Phase != Running || s.Rounds == 0 || s.Pace == 0 {
		return 0, false
	}
	if _, out := s.Out(); out {
		return 0, false
	}
	return time.Duration(max(0, s.Rounds-s.Round)) * s.Pace, true
}

// Ready reports whether the process has joined the others, and what it does.
func (s *Status) Ready() (ready bool, what string) {
	switch s.Phase {
	case Running, Saving:
		return true, s.Activity()
	}
	return false, s.Activity()
}

// Healthy reports whether the process contributes, or prepares to, and what it does. Waiting
// for other members is healthy: a restart would not help.
func (s *Status) Healthy() (healthy bool, what string) {
	if n := s.Node; s.Phase == Running && n != nil {
		if n.State == "failed" {
			return false, "the run has failed: " + s.Activity()
		}
		if n.PausedBy > 0 { // a restart would not help
			return true, s.Activity()
		}
		if why, out := s.Out(); out {
			return false, "this member is not in the sums: " + why
		}
	}
	return true, s.Activity()
}

// Out reports whether the others continue without this member, and why.
func (s *Status) Out() (why string, out bool) {
	n := s.Node
	if n == nil {
		return "", false
	}
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

// Activity describes briefly what the process does, and which members it waits for.
func (s *Status) Activity() string {
	n := s.Node
	switch {
	case s.Phase == Loading:
		return "reading the rows"
	case s.Phase == Saving:
		return "writing the results"
	case s.Phase == Ended:
		return "the run has ended"
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
	late := waited(n, time.Second)
	switch {
	case n.State == "computing":
		return what + "computing"
	case len(late) > 0:
		return fmt.Sprintf("%swaiting for %s, %s", what, names(late), longestWait(n).Round(time.Second))
	}
	return what + cmp.Or(n.Call, n.State)
}

func joining(n *node.Status, now time.Time) string {
	if n.Want == 0 {
		return "joining"
	}
	line := fmt.Sprintf("joining: %d of %d members are here", len(n.Present), n.Want)
	if len(n.Missing) > 0 {
		line += "; waiting for " + names(n.Missing)
	}
	return line + beginsIn(n, now)
}

// names joins names of members, without their peer IDs.
func names(members []string) string {
	short := make([]string, len(members))
	for i, m := range members {
		short[i], _, _ = strings.Cut(m, " (")
	}
	return strings.Join(short, ", ")
}
