package netsim

import (
	"cmp"
	"slices"
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// Report tells how a run went and what it cost.
type Report struct {
	Plan    *consensus.Plan // for all members
	Rules   consensus.Rules
	Virtual time.Duration // from the first event to the last
	Slots   []Slot
	Members []Member
	Faults  []Episode // in the order in which they began
}

// Slot is a decided slot.
type Slot struct {
	// Decision is that of the first member to decide, not to be modified.
	Decision *consensus.Decision
	At       time.Duration // of the first decision
	// Messages and Bytes are what all members have sent since the slot before was
	// first decided.
	Messages, Bytes int64
	// Difference is the largest ‖own − adopted‖₂ / ‖adopted‖₂ of a member, in a Sum.
	Difference float64
}

// Member is the report of one participant.
type Member struct {
	consensus.Record
	// Decisions are all slots that it knows, in order. They are shared between
	// members and not to be modified.
	Decisions []*consensus.Decision
	Messages  int64
	Bytes     int64  // of encoded messages, without framing and encryption
	Down      []Span // when its process was not there
	Err       error  // why its part ended early
}

// Span is a part of a run in virtual time. What lasts to the end of the run ends
// with it.
type Span struct{ From, To time.Duration }

// Episode is when a fault was there. Those that stop processes have none: see
// [Member.Down].
type Episode struct {
	Fault Fault
	Span
}

// open is the end of a span whose end is not known.
const open = time.Duration(-1)

// closed ends an open span with the run.
func (s Span) closed(end time.Duration) Span {
	if s.To == open || s.To > end {
		s.To = end
	}
	return s
}

// report sums up the run.
func (n *network) report() *Report {
	r := &Report{Rules: n.config.Settings.Rules(len(n.members)), Virtual: n.now, Slots: n.decided}
	r.Plan, _ = n.plans[0].For(len(n.members)) // worked out before
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

// noteDecision enters what a member has decided into the report.
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

// noteFault enters when a fault is there.
func (n *network) noteFault(f Fault, from, to time.Duration) {
	n.episodes = append(n.episodes, Episode{f, Span{from, to}})
}
