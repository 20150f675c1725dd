package netsim

import (
	"cmp"
	"slices"
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// A Report is the course of a run and its cost.
type Report struct {
	Plan    *consensus.Plan // plan for sums over all members
	Rules   consensus.Rules
	Virtual time.Duration // time from the first event to the last
	Slots   []Slot
	Members []Member
	Faults  []Episode // in the order of their starts
}

// Slot is a decided slot.
type Slot struct {
	// Decision is the decision of the first member that decided. It must not be modified.
	Decision *consensus.Decision
	At       time.Duration // time of the first decision
	// Messages and Bytes count what all members have sent since the first decision of the slot
	// before.
	Messages, Bytes int64
	// Difference is the largest ‖own − adopted‖₂ / ‖adopted‖₂ over the members, for a Sum.
	Difference float64
}

// Member is the report of one participant.
type Member struct {
	consensus.Record
	// Decisions holds all slots that the member knows, in order. Members share them, so they
	// must not be modified.
	Decisions []*consensus.Decision
	Messages  int64
	Bytes     int64  // bytes of encoded messages, without framing and encryption
	Down      []Span // times without a process
	Err       error  // error if its part ended early
}

// A Span is a part of a run in virtual time. It ends with the run at the latest.
type Span struct{ From, To time.Duration }

// An Episode is the time of a fault. Faults that stop processes have none: see [Member.Down].
type Episode struct {
	Fault Fault
	Span
}

// open marks a span whose end is not known.
const open = time.Duration(-1)

// closed limits a span to the end of the run.
func (s Span) closed(end time.Duration) Span {
	if s.To == open || s.To > end {
		s.To = end
	}
	return s
}

// report sums up the run.
func (n *network) report() *Report {
	r := &Report{Rules: n.config.Settings.Rules(len(n.members)), Virtual: n.now, Slots: n.decided}
	r.Plan, _ = n.plans[0].For(len(n.members)) // computed before
	for _, m := range n.members {
		member := Member{Record: m.record, Decisions: m.log, Messages: m.messages, Bytes: m.bytes, Err: m.err}
		for _, s := range m.stopped {
			member.Down = append(member.Down, s.closed(n.now))
		}
		r.Members = append(r.Members, member)
	}
	slices.SortStableFunc(n.episodes, func(a, b Episode) int { return cmp.Compare(a.From, b.From) })
	for _, e := range n.episodes {
		if e.From < n.now {
			r.Faults = append(r.Faults, Episode{e.Fault, e.closed(n.now)})
		}
	}
	return r
}

// noteDecision adds a member's decision to the report.
func (n *network) noteDecision(at time.Duration, d *consensus.Decision) {
	if d.Slot == uint64(len(n.decided)) {
		s := Slot{Decision: d, At: at}
		for _, m := range n.members {
			s.Messages += m.messages
			s.Bytes += m.bytes
		}
		s.Messages, n.sent.messages = s.Messages-n.sent.messages, s.Messages
		s.Bytes, n.sent.bytes = s.Bytes-n.sent.bytes, s.Bytes
		n.decided = append(n.decided, s)
		n.reached.Store(int64(at))
	}
	if d.Slot < uint64(len(n.decided)) {
		s := &n.decided[d.Slot]
		s.Difference = max(s.Difference, d.Cost.Difference)
	}
}

// noteFault adds the time of a fault to the report.
func (n *network) noteFault(f Fault, from, to time.Duration) {
	n.episodes = append(n.episodes, Episode{f, Span{from, to}})
}
