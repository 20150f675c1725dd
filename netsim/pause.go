package netsim

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// Pause is no fault: the members agree to pause the run and, after For, to resume it. Their
// operators do not write that down at once: each member has it at a random time within
// agreeWithin. A pause that begins during another does nothing.
type Pause struct{ When }

// agreeWithin bounds the time in which all members have a change.
const agreeWithin = 10 * time.Second

func (p Pause) check(int) error {
	if p.For == 0 {
		return errors.New("for: want how long it lasts, got none")
	}
	return p.When.check()
}

func (p Pause) plan(n *network) {
	rng, begun := n.source("pause"), false
	p.When.plan(n, func(at time.Duration) {
		if begun = len(n.changes)%2 == 0; begun {
			n.resumes = at + p.For + agreeWithin
			n.agree(at, &consensus.Amendment{Pause: true}, rng)
		}
	}, func(at time.Duration) {
		if begun {
			n.agree(at, &consensus.Amendment{Resume: true}, rng)
		}
	})
}

// agree lets all members come to want an amendment.
func (n *network) agree(at time.Duration, a *consensus.Amendment, rng *rand.Rand) {
	a.Revision = uint32(len(n.changes) + 1)
	a.Quorum, a.Colluders = n.config.Settings.Quorum, n.config.Settings.Colluders
	n.changes = append(n.changes, a)
	for rank, m := range n.members {
		n.push(event{at: at + time.Duration(rng.Int64N(int64(agreeWithin))), to: nobody, what: deed(func(at time.Duration) {
			m.changes = max(m.changes, int(a.Revision))
			n.request(rank, at)
		})})
	}
}

// request tells a machine which amendment its operator wants next.
func (n *network) request(rank int, at time.Duration) {
	m := n.members[rank]
	if next := len(m.amended); next < m.changes {
		n.step(rank, at, consensus.RequestAmendment{Amendment: n.changes[next]})
	}
}

// reformed is due at a member that has decided an amendment.
type reformed struct{ process int }

// reform makes the call that an amendment has come before, and wants the next change.
func (n *network) reform(rank int, at time.Duration, process int) {
	m := n.members[rank]
	if m.process != process || m.machine == nil {
		return
	}
	n.request(rank, at)
	if m.state == waiting && m.machine.Slot() == m.slotOf(m.group.calls-1) {
		c := m.call
		c.Entropy = m.fresh()
		if n.config.Observer != nil {
			n.config.Observer.Called(rank, m.machine.Slot(), c)
		}
		n.step(rank, at, c)
	}
}

// slotOf returns the slot of a call, counted from 0: amendments are slots that nobody calls.
func (m *member) slotOf(call uint64) uint64 {
	for _, slot := range m.amended {
		if slot <= call {
			call++
		}
	}
	return call
}

// enter puts a decision into the log.
func (m *member) enter(d *consensus.Decision) {
	m.log = append(m.log, d)
	m.record.Add(d)
	if d.Kind == consensus.Amend {
		m.amended = append(m.amended, d.Slot)
	} else {
		m.answers = append(m.answers, d)
	}
}

// after returns the parameters of a run after the amendments of a log.
func after(p consensus.Params, log []*consensus.Decision) (consensus.Params, error) {
	for _, d := range log {
		if d.Kind != consensus.Amend {
			continue
		}
		a, err := d.Amendment()
		if err == nil {
			p, err = p.Amend(a)
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}
