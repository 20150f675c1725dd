package netsim

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// ErrStopped is the error of a participant that was stopped as planned and not restarted.
var ErrStopped = errors.New("stopped as planned")

// launch starts a member's participant.
func (n *network) launch(rank int) {
	m := n.members[rank]
	g := &group{
		rank: rank, known: m.answers, slots: n.slots, views: n.config.ViewTotals,
		membership: collabdict.Membership{Size: len(n.members)},
		census:     consensus.Census{Settings: n.config.Settings},
		ask:        make(chan request), reply: make(chan answer),
	}
	m.group, m.err, m.network, m.learner = g, nil, false, 0
	if m.clock.Offset > 0 {
		n.step(rank, n.now, consensus.Tick{}) // its clock does not start at 0
	}
	n.live++
	n.compute(rank, n.now)
	n.running.Go(func() {
		g.begin()
		g.end(n.part(rank, g))
	})
}

// compute records that a participant computes. Its next request reaches no other member before
// the least latency, so all participants that are due in the meantime compute in parallel.
func (n *network) compute(rank int, at time.Duration) {
	m := n.members[rank]
	m.state, m.since = computing, at
	if by := at + n.config.Latency.Least(); len(n.computing) == 0 || by < n.hearBy {
		n.hearBy = by
	}
	n.computing = append(n.computing, rank)
}

// computes reports whether a member's participant is computing.
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

// hear waits for the next request of a participant that computes.
func (n *network) hear(rank int) {
	n.listen(rank)
	if len(n.computing) > 0 && n.computing[0] == rank {
		n.computing = n.computing[1:]
	}
}

// listen is like hear, but leaves the participant in the list of those that compute.
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
	case r.updates < 2: // otherwise it repeats earlier rounds
		m.learner = m.group.calls - 1
	}
	n.push(event{at: m.since + takes, to: rank, what: enter{m.process, r}})
}

// enter makes a participant's call, or ends its part.
func (n *network) enter(rank int, at time.Duration, e enter) {
	m := n.members[rank]
	if m.process != e.process || m.state != updating {
		return // it was stopped in the meantime
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

// called returns a participant's call for the current slot.
func (n *network) called(rank int, at time.Duration, e enter) consensus.Call {
	m := n.members[rank]
	m.state, m.learner = waiting, m.group.calls
	slot := m.slotOf(m.group.calls - 1)
	c := e.request.call
	if m.adversary != nil {
		c = m.adversary.Call(c)
	}
	if len(n.config.Faults) > 0 { // a pause amends the roster; otherwise nobody repeats a call
		m.call = c
	}
	c.Entropy = m.fresh()
	if n.config.Observer != nil {
		n.config.Observer.Called(rank, slot, c)
	}
	n.stopAt(rank, slot, at)
	return c
}

// end passes the end of a participant to its machine.
func (n *network) end(rank int, at time.Duration, err error) {
	m := n.members[rank]
	m.state, m.err = ended, err
	n.live--
	m.network = errors.As(err, new(*consensus.MemberError)) || errors.As(err, new(*consensus.LostError)) || errors.As(err, new(*consensus.ParametersError))
	if err != nil {
		n.step(rank, at, consensus.Abort{Reason: "its part in the simulation has failed"})
		return
	}
	n.step(rank, at, consensus.Finish{})
}

// stop ends a member's process, for good if away is 0.
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
		n.live++ // the run continues until it is back
		n.push(event{at: at + away, to: rank, what: start{m.process}})
	}
}

// silence ends the participant of a stopped process, after its call or before it.
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

// restart restarts a member's process from its disk, unless that has happened since the given
// process was stopped.
func (n *network) restart(rank int, at time.Duration, process int) {
	m := n.members[rank]
	if m.state != awaited || m.process != process {
		return
	}
	p, err := after(n.params(rank), m.log)
	if err != nil {
		panic("netsim: " + err.Error()) // the machine decided the log
	}
	machine, err := consensus.Resume(p, m.saved(), m.fresh())
	if err != nil {
		panic("netsim: " + err.Error()) // the machine wrote the disk
	}
	m.machine = machine
	m.stopped[len(m.stopped)-1].To = at
	n.step(rank, at, consensus.Tick{}) // its time continues
	n.request(rank, at)
	n.live--
	n.progress = at
	n.launch(rank)
}

// stuckAfter is how long nothing may be decided while all processes run. The machines need
// seconds to find lost members, and minutes to give up sessions.
const stuckAfter = 30 * time.Minute

// endIfStuck ends the participants that wait for members that will not come back. It reports
// whether it did.
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
	if len(n.rounds) > 0 { // nobody reaches these rounds any more
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

// A StuckError reports that the members of a simulation make no progress.
type StuckError struct {
	Slot   uint64
	After  time.Duration // virtual time without a decision
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
		what = "too few members are connected without " + strings.Join(lost, ", ")
	}
	return &StuckError{Slot: s.Slot, After: stuckAfter, Reason: what}
}
