package netsim

import (
	"errors"
	"fmt"
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
		member: m, rank: rank, size: len(n.members), slots: n.slots,
		ask: make(chan request), reply: make(chan answer),
	}
	m.group, m.err, m.network = g, nil, false
	n.live++
	n.compute(rank, n.now)
	n.running.Go(func() {
		g.begin()
		g.end(n.part(rank, g))
	})
}

// compute notes that a participant computes. It takes no virtual time, but what it
// asks for next reaches no other member before half the latency, so that all that
// are due in the meantime compute in parallel.
func (n *network) compute(rank int, at time.Duration) {
	m := n.members[rank]
	m.state, m.since = computing, at
	if by := at + n.config.Latency/2; len(n.computing) == 0 || by < n.hearBy {
		n.hearBy = by
	}
	n.computing = append(n.computing, rank)
}

func (n *network) hearAll() {
	for len(n.computing) > 0 {
		n.hear(n.computing[0])
	}
}

// hear takes the next request of a participant that computes.
func (n *network) hear(rank int) {
	n.computing = slices.DeleteFunc(n.computing, func(r int) bool { return r == rank })
	m := n.members[rank]
	r := <-m.group.ask
	if r.ended {
		n.end(rank, r.err)
		return
	}
	r.call.Entropy = m.fresh()
	m.state = waiting
	slot := m.group.calls - 1
	if n.config.Observer != nil {
		n.config.Observer.Called(rank, slot, r.call)
	}
	n.push(event{at: m.since, to: rank, what: r.call})
	m.planned = slices.DeleteFunc(m.planned, func(f Fault) bool {
		if f.Slot == slot {
			n.push(event{at: m.since + f.After, to: rank, what: stop{f.RestartAfter}})
		}
		return f.Slot == slot
	})
}

// end tells the machine that its participant has ended.
func (n *network) end(rank int, err error) {
	m := n.members[rank]
	m.state, m.err = ended, err
	n.live--
	var left *consensus.MemberError
	var lost *consensus.LostError
	m.network = errors.As(err, &left) || errors.As(err, &lost)
	if err != nil {
		n.push(event{at: m.since, to: rank, what: consensus.Abort{Reason: "its part in the simulation has failed"}})
		return
	}
	n.push(event{at: m.since, to: rank, what: consensus.Finish{}})
}

// stop ends a member's process.
func (n *network) stop(rank int, at time.Duration, s stop) {
	m := n.members[rank]
	if m.machine == nil {
		return
	}
	if m.state == waiting {
		m.group.reply <- answer{err: ErrStopped}
		for r := range m.group.ask {
			if r.ended {
				break
			}
			m.group.reply <- answer{err: ErrStopped}
		}
		n.live--
		m.err = ErrStopped
	}
	m.machine, m.state = nil, ended
	if s.restartAfter > 0 {
		m.state = awaited
		n.live++ // the run goes on until it is back
		n.push(event{at: at + s.restartAfter, to: rank, what: start{}})
	}
}

// restart starts a member's process again with what its disk holds.
func (n *network) restart(rank int, at time.Duration) {
	m := n.members[rank]
	machine, err := consensus.Resume(n.params(rank), m.saved(), m.fresh())
	if err != nil {
		panic("netsim: " + err.Error()) // the disk is what the machine wrote
	}
	m.machine = machine
	n.step(rank, at, consensus.Tick{}) // its time goes on, it does not begin
	n.live--
	n.progress = at
	n.launch(rank)
}

// stuckAfter is how long nothing may be decided while all processes run. The
// machines need seconds to tell who is lost, and minutes to give up sessions.
const stuckAfter = 30 * time.Minute

// endIfStuck ends the parts of those that wait for members that do not come back,
// and says whether it did.
func (n *network) endIfStuck() bool {
	away := func(m *member) bool { return m.state == awaited }
	if n.now-n.progress < stuckAfter || slices.ContainsFunc(n.members, away) {
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

func (n *network) stuckError(s consensus.Status) error {
	names := make([]string, len(s.Waiting))
	for i, w := range s.Waiting {
		names[i] = n.config.Names[w]
	}
	what := "waits for " + strings.Join(names, ", ")
	if s.Paused {
		what = "too few members are there: " + s.Stuck
	}
	return fmt.Errorf("slot %d was not decided in %s: %s", s.Slot, stuckAfter, what)
}
