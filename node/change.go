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

// Change is an amendment of the roster as people write it, the same at all members: whom
// to Add and to Remove (by name), and the Quorum and Colluders from then on (nil leaves
// them as they are); or whether to Pause or to Resume the run.
type Change = membership.Change

// CheckChanges reports changes that cannot be made to the members that a run begins with.
func CheckChanges(members []Member, s consensus.Settings, changes []Change) error {
	founders, p := membership.Founding(members, s)
	_, err := membership.Amendments(p, founders, changes)
	return err
}

// Change sets which changes of the roster this member's operator wants, all since
// the run has begun. Those that are decided already stay; the next is made once a
// quorum wants it.
func (n *Node) Change(changes []Change) error {
	_, err := n.loop.ask(context.Background(), &request{do: func() (*consensus.Decision, error) {
		list, err := n.loop.amendments(changes)
		if err == nil {
			n.loop.wanted = changes
			err = n.loop.wish(list)
		}
		return nil, err
	}})
	return err
}

// amendments returns what changes come to in this run.
func (l *loop) amendments(changes []Change) ([]*consensus.Amendment, error) {
	all := l.members.Load()
	p := *all.Params
	p.Members, p.Removed, p.Revision, p.Paused = p.Members[:l.journal.Founders], nil, 0, 0
	p.Settings.Quorum, p.Settings.Colluders = l.initial.Quorum, l.initial.Colluders
	return membership.Amendments(p, all.All[:l.journal.Founders], changes)
}

// wish tells the machine which amendment is wanted next. An error says that none is:
// the members have decided another one, or it cannot be made of the roster as it is.
func (l *loop) wish(list []*consensus.Amendment) error {
	if l.members.Load().Params.Joins {
		return nil // a newcomer follows
	}
	decided := l.members.Load().Amendments
	for i, a := range list[:min(len(list), len(decided))] {
		if string(a.Encode()) != string(decided[i]) {
			l.step(consensus.RequestAmendment{})
			return refused(fmt.Sprintf("changes: number %d", i+1), "another one", "the one that the members have decided: take theirs over")
		}
	}
	var next *consensus.Amendment
	if len(list) > len(decided) {
		next = list[len(decided)]
		if err := l.machine.CheckRequest(next); err != nil {
			l.step(consensus.RequestAmendment{})
			return refused(fmt.Sprintf("changes: number %d", next.Revision), err.Error(), "one that leaves a quorum to make it: remove fewer at a time")
		}
		l.log.Info("a change of the roster waits for a quorum to want it", "revision", next.Revision)
	}
	l.step(consensus.RequestAmendment{Amendment: next})
	return nil
}

// epoch is how many ranks there are from a slot on.
type epoch struct {
	first uint64
	ranks int
}

// noteEpoch notes an amendment of the log.
func (l *loop) noteEpoch(d *consensus.Decision) {
	a, err := d.Amendment()
	if err != nil {
		return // the machine has refused it
	}
	l.epochs = append(l.epochs, epoch{d.Slot + 1, l.epochs[len(l.epochs)-1].ranks + len(a.Added)})
}

// slotOf returns the slot of the learner's call with a number, counted from 0:
// amendments are slots that it does not call.
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

// amend takes up the roster that a decision has made.
func (l *loop) amend(d *consensus.Decision) {
	a, err := d.Amendment()
	if err == nil {
		err = l.follow(a)
	}
	if err != nil {
		l.log.Error("cannot follow a change of the roster", "error", err)
		l.step(consensus.Abort{Reason: "it cannot follow a change of the roster", Returns: true})
	}
}

// afterAmendment makes the call that an amendment has come before, and wants the next change.
func (l *loop) afterAmendment() {
	if list, err := l.amendments(l.wanted); err == nil { // it has been checked
		if err := l.wish(list); err != nil {
			l.log.Warn("no change of the roster is wanted any more", "error", err)
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

// farewellTime is how long the others still answer a removed member that it is removed.
const farewellTime = 30 * time.Second

// follow takes up the roster after an amendment: new members are let in and sent to,
// removed ones linger for a while.
func (l *loop) follow(a *consensus.Amendment) error {
	old := l.members.Load()
	all, err := old.Amended(a)
	if err != nil {
		return err
	}
	if err := l.journal.Extend(all.Stored()); err != nil {
		l.log.Error("cannot note who has come to the roster, which the next start does", "error", err)
	}
	l.members.Store(all)
	for _, s := range a.Added {
		l.log.Warn("a member comes to the roster", "name", s.Name, "revision", a.Revision)
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

// dismiss turns away those that were removed, after a while.
func (l *loop) dismiss() {
	select {
	case <-l.inbox.stopped:
		return
	case <-time.After(farewellTime):
	}
	_, _ = l.ask(context.Background(), &request{do: func() (*consensus.Decision, error) {
		all := l.members.Load().Dismissed()
		l.members.Store(all)
		l.network.Follow(peersOf(all))
		return nil, nil
	}})
}

// peersOf returns the members as the transport has them.
func peersOf(m *membership.Members) []transport.Peer {
	peers := make([]transport.Peer, len(m.All))
	for rank, o := range m.All {
		at, active := m.Ranks[o.ID]
		peers[rank] = transport.Peer{ID: o.ID, Name: o.Name, Addrs: membership.Multiaddrs(o.Addrs), Gone: !active || at != rank}
	}
	return peers
}
