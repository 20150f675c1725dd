package node

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/transport"
)

// A Change is an amendment of the roster as people write it, the same at all members. It has
// the members to Add and to Remove (by name), and the Quorum and Colluders from then on (nil
// keeps the present values). A change may instead Pause or Resume the run.
type Change = membership.Change

// CheckChanges returns an error if a change cannot be made to the members that a run begins
// with.
func CheckChanges(members []Member, s consensus.Settings, changes []Change) error {
	founders, p := membership.Founding(members, s)
	_, err := membership.Amendments(p, founders, changes)
	return err
}

// Change sets the changes of the roster that this member's operator wants: the complete list
// since the run began. Changes that are decided already stay. The next one is made once a
// quorum wants it.
func (n *Node) Change(changes []Change) error {
	return n.loop.do(context.Background(), func() error {
		list, err := n.loop.amendments(changes)
		if err != nil {
			return err
		}
		n.loop.wanted = changes
		return n.loop.wish(list)
	})
}

// amendments converts changes to the amendments of this run.
func (l *loop) amendments(changes []Change) ([]*consensus.Amendment, error) {
	all := l.members.Load()
	p := *all.Params
	p.Members, p.Removed, p.Revision, p.Paused = p.Members[:l.state.Founders], nil, 0, 0
	p.Settings.Quorum, p.Settings.Colluders = l.initial.Quorum, l.initial.Colluders
	return membership.Amendments(p, all.All[:l.state.Founders], changes)
}

// wish passes the next wanted amendment to the machine. It returns an error if there is none:
// the members have decided another one, or the present roster does not allow it.
func (l *loop) wish(list []*consensus.Amendment) error {
	if l.members.Load().Params.Joins {
		return nil // a newcomer follows
	}
	decided := l.members.Load().Amendments
	for i, a := range list[:min(len(list), len(decided))] {
		if string(a.Encode()) != string(decided[i]) {
			l.step(consensus.RequestAmendment{})
			return refused(fmt.Sprintf("changes: number %d", i+1), "another one", "the change that the members have decided: copy theirs")
		}
	}
	var next *consensus.Amendment
	if len(list) > len(decided) {
		next = list[len(decided)]
		if err := l.machine.CheckRequest(next); err != nil {
			l.step(consensus.RequestAmendment{})
			return refused(fmt.Sprintf("changes: number %d", next.Revision), err.Error(), "a change that leaves a quorum to decide it: remove fewer members at a time")
		}
		l.log.Info("a change of the roster waits for a quorum", "revision", next.Revision)
	}
	l.step(consensus.RequestAmendment{Amendment: next})
	return nil
}

// An epoch is the number of ranks from a slot on.
type epoch struct {
	first uint64
	ranks int
}

// noteEpoch adds the epoch that begins with an amendment of the log.
func (l *loop) noteEpoch(d *consensus.Decision) {
	a, err := d.Amendment()
	if err != nil {
		return // the machine has refused it
	}
	l.epochs = append(l.epochs, epoch{d.Slot + 1, l.epochs[len(l.epochs)-1].ranks + len(a.Added)})
}

// slotOf returns the slot of one of the learner's calls, counted from 0. The learner makes no
// call for the slot of an amendment.
func (l *loop) slotOf(call uint64) uint64 {
	for _, e := range l.epochs[1:] {
		if e.first-1 <= call {
			call++
		}
	}
	return call
}

func (l *loop) ranksAt(slot uint64) int {
	ranks := 0
	for _, e := range l.epochs {
		if e.first <= slot {
			ranks = e.ranks
		}
	}
	return ranks
}

// amend applies the roster that a decision has made.
func (l *loop) amend(d *consensus.Decision) {
	a, err := d.Amendment()
	if err == nil {
		err = l.follow(a)
	}
	if err != nil {
		l.log.Error("cannot apply a change of the roster", "error", err)
		l.step(consensus.Abort{Reason: "it cannot apply a change of the roster", Returns: true})
	}
}

// afterAmendment repeats the call that an amendment has preceded, and asks for the next change.
func (l *loop) afterAmendment() {
	if list, err := l.amendments(l.wanted); err == nil { // the list was checked when it was set
		if err := l.wish(list); err != nil {
			l.log.Warn("the next change of the roster is dropped", "error", err)
		}
	}
	if l.pending == nil || l.slotOf(l.calls-1) != l.machine.Slot() {
		return
	}
	c := l.pending.event.(consensus.Call)
	if _, err := rand.Read(c.Entropy[:]); err != nil {
		l.answer(outcome{err: err})
		return
	}
	l.step(c)
}

// farewellTime is how long the others still answer a removed member, so that it learns of its
// removal.
const farewellTime = 30 * time.Second

// follow applies an amendment to the roster: it connects new members, and keeps the removed
// ones for a while.
func (l *loop) follow(a *consensus.Amendment) error {
	old := l.members.Load()
	all, err := old.Amended(a)
	if err != nil {
		return err
	}
	if err := l.state.Extend(all.Stored()); err != nil {
		l.log.Error("cannot save the new members of the roster; the next start will try again", "error", err)
	}
	l.members.Store(all)
	for _, s := range a.Added {
		l.log.Warn("a member joins the roster", "name", s.Name, "revision", a.Revision)
	}
	switch {
	case a.Pause:
		l.log.Info("the members have agreed to pause the run", "revision", a.Revision)
	case a.Resume:
		l.log.Info("the members have agreed to resume the run", "revision", a.Revision)
	}
	l.network.Follow(peersOf(all))
	for _, r := range a.Removed {
		l.log.Warn("a member is removed from the roster", "name", all.All[r].Name, "revision", a.Revision)
	}
	l.background.Start(l.dismiss)
	return nil
}

// dismiss disconnects removed members after farewellTime.
func (l *loop) dismiss() {
	select {
	case <-l.inbox.stopped:
		return
	case <-time.After(farewellTime):
	}
	_ = l.do(context.Background(), func() error {
		all := l.members.Load().Dismissed()
		l.members.Store(all)
		l.network.Follow(peersOf(all))
		return nil
	})
}

// peersOf converts the members to the peers of the transport.
func peersOf(m *membership.Members) []transport.Peer {
	peers := make([]transport.Peer, len(m.All))
	for rank, o := range m.All {
		present, active := m.Ranks[o.ID]
		peers[rank] = transport.Peer{ID: o.ID, Name: o.Name, Addrs: membership.Multiaddrs(o.Addrs), Gone: !active || present != rank}
	}
	return peers
}
