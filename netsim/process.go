package netsim

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// ErrStopped is the error of a participant that was stopped by plan and not
// started again.
var ErrStopped = errors.New("stopped by plan")

// launch starts a member's participant.
func (n *network) launch(rank int) {
	m := n.members[rank]
	g := &group{
		rank: rank, size: len(n.members), known: m.answers, slots: n.slots, views: n.config.ViewTotals,
		census: consensus.Census{Settings: n.config.Settings},
		ask:    make(chan request), reply: make(chan answer),
	}
	m.group, m.err, m.network, m.learner = g, nil, false, 0
	if m.clock.Offset > 0 {
		n.step(rank, n.now, consensus.Tick{}) // its clock shows a time already
	}
	n.live++
	n.compute(rank, n.now)
	n.running.Go(func() {
		g.begin()
		g.end(n.part(rank, g))
	})
}

// compute notes that a participant computes. What it asks for next reaches no
// other member before the least latency, so that all that are due in the meantime
// compute in parallel.
func (n *network) compute(rank int, at time.Duration) {
	m := n.members[rank]
	m.state, m.since = computing, at
	if by := at + n.config.Latency.Least(); len(n.computing) == 0 || by < n.hearBy {
		n.hearBy = by
	}
	n.computing = append(n.computing, rank)
}

// computes reports whether the participant of a member computes.
func (n *network) computes(rank int) bool {
	return rank >= 0 && n.members[rank].machine != nil && n.members[rank].state == computing
}

func (n *network) hearAll() {
	for _, rank := range n.computing {
		if n.members[rank].state == computing {
			n.listen(rank)
		}
	}
	n.computing = n.computing[:0]
}

// hear takes the next request of a participant that computes.
func (n *network) hear(rank int) {
	n.listen(rank)
	if len(n.computing) > 0 && n.computing[0] == rank {
		n.computing = n.computing[1:]
	}
}

// listen is hear, and leaves it to the caller to take the participant off the list
// of those that compute.
func (n *network) listen(rank int) {
	m := n.members[rank]
	r := <-m.group.ask
	m.state, m.group.over = updating, r.ended
	if !r.ended && r.call.Round > m.round {
		n.comeTo(r.call.Round, m.since)
		if m.round > 0 {
			m.took = m.since - m.began
		}
		m.round, m.began = r.call.Round, m.since
		for _, c := range n.churns {
			c.strike(n, rank, m.round, m.since)
		}
	}
	takes := time.Duration(float64(n.config.Compute) * float64(r.updates))
	if m.factor > 0 {
		takes = time.Duration(float64(takes) * m.factor)
	}
	switch {
	case r.ended:
		m.learner = m.group.calls
	case r.updates < 2: // else it computes earlier rounds again
		m.learner = m.group.calls - 1
	}
	n.push(event{at: m.since + takes, to: rank, what: enter{m.process, r}})
}

// enter makes a participant's call, or ends its part.
func (n *network) enter(rank int, at time.Duration, e enter) {
	m := n.members[rank]
	if m.process != e.process || m.state != updating {
		return // stopped since
	}
	if e.request.ended {
		n.end(rank, at, e.request.err)
		return
	}
	if m.group.calls <= uint64(len(m.answers)) { // decided in the meantime
		m.state, m.learner = waiting, m.group.calls
		n.answer(rank, at, nil)
		return
	}
	n.step(rank, at, n.called(rank, at, e))
}

// called returns a participant's call of the slot under way.
func (n *network) called(rank int, at time.Duration, e enter) consensus.Call {
	m := n.members[rank]
	m.state, m.learner = waiting, m.group.calls
	slot := m.slotOf(m.group.calls - 1)
	c := e.request.call
	if m.adversary != nil {
		c = m.adversary.Call(c)
	}
	m.call = c
	c.Entropy = m.fresh()
	if n.config.Observer != nil {
		n.config.Observer.Called(rank, slot, c)
	}
	n.stopAt(rank, slot, at)
	return c
}

// end tells the machine that its participant has ended.
func (n *network) end(rank int, at time.Duration, err error) {
	m := n.members[rank]
	m.state, m.err = ended, err
	n.live--
	var left *consensus.MemberError
	var lost *consensus.LostError
	var unlike *consensus.ParametersError
	m.network = errors.As(err, &left) || errors.As(err, &lost) || errors.As(err, &unlike)
	if err != nil {
		n.step(rank, at, consensus.Abort{Reason: "its part in the simulation has failed"})
		return
	}
	n.step(rank, at, consensus.Finish{})
}

// stop ends a member's process, for good if it does not stay away for some time.
func (n *network) stop(rank int, at, away time.Duration, amnesia bool) {
	m := n.members[rank]
	if m.machine == nil {
		return
	}
	if m.state == computing {
		n.hear(rank)
	}
	if m.state == waiting || m.state == updating {
		n.silence(rank)
	}
	m.machine, m.state = nil, ended
	m.stopped = append(m.stopped, Span{at, open})
	m.process++
	if amnesia {
		m.forget()
	}
	if away > 0 {
		m.state = awaited
		n.live++ // the run goes on until it is back
		n.push(event{at: at + away, to: rank, what: start{m.process}})
	}
}

// silence ends the participant of a process that is stopped, after its call or
// before it.
func (n *network) silence(rank int) {
	m := n.members[rank]
	m.err = ErrStopped
	n.live--
	if m.group.over {
		return
	}
	m.group.reply <- answer{err: ErrStopped}
	for r := range m.group.ask {
		if r.ended {
			return
		}
		m.group.reply <- answer{err: ErrStopped}
	}
}

// restart starts a member's process again with what its disk holds, unless that
// has been done since the process given was stopped.
func (n *network) restart(rank int, at time.Duration, process int) {
	m := n.members[rank]
	if m.state != awaited || m.process != process {
		return
	}
	p, err := after(n.params(rank), m.log)
	if err != nil {
		panic("netsim: " + err.Error()) // the log is what the machine decided
	}
	machine, err := consensus.Resume(p, m.saved(), m.fresh())
	if err != nil {
		panic("netsim: " + err.Error()) // the disk is what the machine wrote
	}
	m.machine = machine
	m.stopped[len(m.stopped)-1].To = at
	n.step(rank, at, consensus.Tick{}) // its time goes on, it does not begin
	n.request(rank, at)
	n.live--
	n.progress = at
	n.launch(rank)
}

// stuckAfter is how long nothing may be decided while all processes run. The
// machines need seconds to tell who is lost, and minutes to give up sessions.
const stuckAfter = 30 * time.Minute

// endIfStuck ends the parts of those that wait for members that do not come back,
// and reports whether it did.
func (n *network) endIfStuck() bool {
	away := 0
	for _, m := range n.members {
		if m.state == awaited {
			away++
		}
	}
	if n.live > away && n.now-n.progress < stuckAfter || n.now < n.resumes {
		return false
	}
	if len(n.rounds) > 0 { // nobody comes to these rounds any more
		n.comeTo(slices.Max(slices.Collect(maps.Keys(n.rounds))), n.now)
		return false
	}
	if away > 0 {
		return false
	}
	for rank, m := range n.members {
		if m.state == waiting {
			n.compute(rank, n.now)
			m.group.reply <- answer{err: n.stuckError(m.machine.Status())}
		}
	}
	n.progress = n.now
	return true
}

// StuckError says that the members of a simulation do not come on.
type StuckError struct {
	Slot   uint64
	After  time.Duration // of virtual time
	Reason string
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("slot %d was not decided in %s: %s", e.Slot, e.After, e.Reason)
}

func (n *network) stuckError(s consensus.Status) error {
	names := make([]string, len(s.Waiting))
	for i, w := range s.Waiting {
		names[i] = n.config.Names[w]
	}
	what := "waits for " + strings.Join(names, ", ")
	if s.PausedBy > 0 {
		what = "the members have agreed to pause"
	} else if s.Paused {
		var lost []string
		for _, m := range s.Lost {
			lost = append(lost, n.config.Names[m.Member])
		}
		what = "too few members are there without " + strings.Join(lost, ", ")
	}
	return &StuckError{Slot: s.Slot, After: stuckAfter, Reason: what}
}
