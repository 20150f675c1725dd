package netsim

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// Pause is not a fault: the members agree to pause the run and, after For, to resume it. Each
// operator writes the change down at a random time within agreeWithin. A pause that begins
// during another does nothing.
type Pause struct{ When }

// agreeWithin bounds the time until all members have a change.
const agreeWithin = 10 * time.Second

func (p Pause) check(int) error {
	if p.For == 0 {
		return errors.New("for: want the length of the pause, got none")
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

// agree makes all members want an amendment.
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

// request passes the machine the amendment that its operator wants next.
func (n *network) request(rank int, at time.Duration) {
	m := n.members[rank]
	if next := len(m.amended); next < m.changes {
		n.step(rank, at, consensus.RequestAmendment{Amendment: n.changes[next]})
	}
}

// reformed is the event of a member that has decided an amendment.
type reformed struct{ process int }

// reform repeats the call that an amendment has preceded, and asks for the next change.
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

// slotOf returns the slot of a call, counted from 0. Nobody calls the slots of amendments.
func (m *member) slotOf(call uint64) uint64 {
	for _, slot := range m.amended {
		if slot <= call {
			call++
		}
	}
	return call
}

// enter adds a decision to the log.
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
