package node

import (
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// Status is a snapshot of what a node is doing.
type Status struct {
	Name    string   `json:"name"`
	State   string   `json:"state"`             // "joining", or that of the consensus
	Present []string `json:"present,omitempty"` // while joining: the members met, this one first
	Missing []string `json:"missing,omitempty"` // while joining: those of a given roster not met
	Want    int      `json:"want"`              // members of the run
	Addrs   []string `json:"addrs"`             // where others can dial this member

	Slot       uint64    `json:"slot"`
	Round      uint32    `json:"round"`
	Call       string    `json:"call,omitempty"` // the collective under way
	Iteration  int       `json:"iteration"`
	Predicted  int       `json:"iterations_predicted"`
	Waiting    []Waiting `json:"waiting,omitempty"` // members that hold the slot up, or have not finished
	SetupSlots int       `json:"setup_slots"`       // ended before round 1, the nonce's included

	LastIterations int           `json:"last_iterations"` // of the last Sum
	LastDifference float64       `json:"last_difference"` // of the own average from the adopted one, relative
	LastDigest     [32]byte      `json:"-"`               // of the last collective's result
	LastTook       time.Duration `json:"last_took"`       // the last collective, by the wall clock
	Traffic        Traffic       `json:"traffic"`
}

// Waiting is a member that is waited for.
type Waiting struct {
	Name string        `json:"name"`
	For  time.Duration `json:"for"` // since the slot last made a step
}

// snapshot is what the loop publishes for readers.
type snapshot struct {
	machine    consensus.Status
	last       progress
	unfinished []string // at the planned end: members whose end has not been heard
}

// progress is what is remembered of ended calls.
type progress struct {
	setup      int
	iterations int
	difference float64
	digest     [32]byte
	took       time.Duration
}

func (p *progress) note(ev consensus.Event, out *consensus.Outcome) {
	call := ev.(consensus.Call)
	if out.Err != nil {
		return
	}
	if call.Round == 0 {
		p.setup++
	}
	if call.Kind == consensus.Sum {
		p.iterations, p.difference = out.Iterations, out.Difference
	}
	p.digest, p.took = out.Digest, out.Ended-out.Started
}

// publish makes the machine's status visible.
func (l *loop) publish() {
	s := &snapshot{machine: l.machine.Status(), last: l.last}
	if s.machine.State == consensus.Finished {
		for rank, name := range l.names {
			if rank != l.self && !l.ended[rank] {
				s.unfinished = append(s.unfinished, name)
			}
		}
	}
	l.status.Store(s)
}

// Status returns what the node is doing now. It never blocks.
func (n *Node) Status() Status {
	s := n.loop.status.Load()
	m := s.machine
	out := Status{
		Name: n.members[n.self].Name, State: m.State.String(), Want: n.Size(), Addrs: n.Addrs(),
		Slot: m.Slot, Round: m.Round, Iteration: m.Iteration, Predicted: m.Iterations,
		SetupSlots: s.last.setup, LastIterations: s.last.iterations, LastDifference: s.last.difference,
		LastDigest: s.last.digest, LastTook: s.last.took, Traffic: n.Traffic(),
	}
	if m.Kind != 0 {
		out.Call = m.Kind.String()
	}
	waited := time.Since(n.loop.start) - m.Since
	for _, rank := range m.Waiting {
		out.Waiting = append(out.Waiting, Waiting{Name: n.loop.names[rank], For: waited})
	}
	for _, name := range s.unfinished {
		out.Waiting = append(out.Waiting, Waiting{Name: name, For: waited})
	}
	return out
}

// Traffic returns what the node has sent and received so far.
func (n *Node) Traffic() Traffic { return n.traffic.snapshot() }

// report tells Config.OnStatus who is there. The meeting is locked.
func (m *meeting) report() {
	if m.cfg.OnStatus != nil {
		m.cfg.OnStatus(m.status())
	}
}

func (m *meeting) status() Status {
	return Status{Name: m.cfg.Name, State: "joining", Want: m.cfg.size(), Addrs: addrsOf(m.host), Present: m.present(), Missing: m.missing()}
}

// missing names the members of a given roster that are not met.
func (m *meeting) missing() (names []string) {
	for _, o := range m.cfg.Members {
		if o.ID != m.host.ID() && m.met[o.ID] == nil {
			names = append(names, describe(o.Name, o.ID))
		}
	}
	return names
}
