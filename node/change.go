package node

import (
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peerstore"

	"github.com/collabdict/collabdict/consensus"
)

// Change is an amendment of the roster as people write it: the same at all members.
type Change struct {
	Add       []Member
	Remove    []string // names
	Quorum    *int     // of the settings from then on; nil leaves it as it is
	Colluders *int     // of the settings from then on; nil leaves it as it is
}

// amendmentsMost bounds what all amendments take in a hello.
const amendmentsMost = 32 << 10

// amendmentsOf returns what changes come to for a run that has begun with the given
// parameters and members, in rank order.
func amendmentsOf(p consensus.Params, founders []Member, changes []Change) ([]*consensus.Amendment, error) {
	members := slices.Clone(founders)
	removed := map[int]bool{}
	var list []*consensus.Amendment
	bytes := 0
	for i, c := range changes {
		fail := func(got, want string) error {
			return &ConfigError{fmt.Sprintf("changes: number %d", i+1), got, want}
		}
		a := &consensus.Amendment{Revision: uint32(i + 1), Quorum: p.Quorum, Colluders: p.Colluders}
		if c.Quorum != nil {
			a.Quorum = *c.Quorum
		}
		if c.Colluders != nil {
			a.Colluders = *c.Colluders
		}
		for _, name := range c.Remove {
			rank := rankOf(members, removed, func(m Member) bool { return m.Name == name })
			if rank < 0 {
				return nil, fail(fmt.Sprintf("to remove %q", name), "the name of a member")
			}
			removed[rank] = true
			a.Removed = append(a.Removed, uint32(rank))
		}
		slices.Sort(a.Removed)
		for _, m := range c.Add {
			if err := m.checkNew(); err != nil {
				return nil, err
			}
			if rankOf(members, nil, func(o Member) bool { return o.ID == m.ID }) >= 0 {
				return nil, fail("to add "+m.ID.String(), "a peer ID that no member has or has had: a new folder has one")
			}
			members = append(members, m)
			a.Added = append(a.Added, consensus.Seat{Name: m.Name, ID: []byte(m.ID), Addrs: append([]string(nil), m.Addrs...)})
		}
		var err error
		if p, err = p.Amend(a); err != nil {
			return nil, &ConfigError{Field: fmt.Sprintf("changes: number %d", i+1), Got: err.Error(), Want: "one that the roster can have"}
		}
		if bytes += len(a.Encode()); bytes > amendmentsMost {
			return nil, fail(fmt.Sprintf("%d bytes", bytes), fmt.Sprintf("at most %d bytes in all: begin a new run with the list as it is now", amendmentsMost))
		}
		list = append(list, a)
	}
	return list, nil
}

// checkNew reports what all members would choke on once it is decided.
func (m Member) checkNew() error {
	if err := checkName("changes: name", m.Name); err != nil {
		return err
	}
	if m.ID.Validate() != nil {
		return &ConfigError{"changes: " + m.Name + ": id", "none", "a peer ID"}
	}
	if _, err := m.ID.ExtractPublicKey(); err != nil {
		return &ConfigError{"changes: " + m.Name + ": id", m.ID.String(), "one that is made of its key, as collabdict id prints it"}
	}
	_, err := m.addrInfo()
	return err
}

func rankOf(members []Member, removed map[int]bool, is func(Member) bool) int {
	for rank, m := range members {
		if !removed[rank] && is(m) {
			return rank
		}
	}
	return -1
}

// Change says which changes of the roster this member's operator wants, all since
// the run has begun. Those that are decided already stay; the next is made once a
// quorum wants it.
func (n *Node) Change(changes []Change) error {
	_, err := n.loop.ask(n.ctx, &request{do: func() (*consensus.Decision, error) {
		list, err := n.loop.amendments(changes)
		if err == nil {
			n.loop.changes = changes
			err = n.loop.wish(list)
		}
		return nil, err
	}})
	return err
}

// amendments returns what changes come to in this run.
func (l *loop) amendments(changes []Change) ([]*consensus.Amendment, error) {
	all, p := l.roll.Load(), *l.roll.Load().params
	p.Members, p.Removed, p.Revision = p.Members[:l.journal.Founders], nil, 0
	p.Settings.Quorum, p.Settings.Colluders = l.founding.Quorum, l.founding.Colluders
	return amendmentsOf(p, all.members[:l.journal.Founders], changes)
}

// wish tells the machine which amendment is wanted next. An error says that none is:
// the members have decided another one, or it cannot be made of the roster as it is.
func (l *loop) wish(list []*consensus.Amendment) error {
	if l.roll.Load().params.Joins {
		return nil // a newcomer follows
	}
	decided := l.roll.Load().amendments
	for i, a := range list[:min(len(list), len(decided))] {
		if string(a.Encode()) != string(decided[i]) {
			l.step(consensus.RequestAmendment{})
			return &ConfigError{fmt.Sprintf("changes: number %d", i+1), "another one", "the one that the members have decided: take theirs over"}
		}
	}
	var next *consensus.Amendment
	if len(list) > len(decided) {
		next = list[len(decided)]
		if err := l.machine.CheckRequest(next); err != nil {
			l.step(consensus.RequestAmendment{})
			return &ConfigError{fmt.Sprintf("changes: number %d", next.Revision), err.Error(), "one that leaves a quorum to make it: remove fewer at a time"}
		}
		l.log.Info("a change of the roster waits for a quorum to want it", "revision", next.Revision)
	}
	l.step(consensus.RequestAmendment{Amendment: next})
	return nil
}

// epoch says how many ranks there are from a slot on.
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

// amend goes on with the roster that a decision has made.
func (l *loop) amend(d *consensus.Decision) {
	a, err := d.Amendment()
	if err == nil {
		err = l.reform(a)
	}
	if err != nil {
		l.log.Error("cannot follow a change of the roster", "error", err)
		l.step(consensus.Abort{Reason: "it cannot follow a change of the roster", Returns: true})
	}
}

// goOn makes the call that an amendment has come before, and wants the next change.
func (l *loop) goOn() {
	if list, err := l.amendments(l.changes); err == nil { // it has been checked
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

// farewellTime is how long who was removed is still told of it.
const farewellTime = 30 * time.Second

// reform takes up the roster after an amendment: who has come is let in and spoken
// with, who was removed is not after a while.
func (n *Node) reform(a *consensus.Amendment) error {
	old := n.roll.Load()
	all := old.clone()
	if err := all.amend(a); err != nil {
		return err
	}
	for _, m := range all.members[len(old.members):] {
		all.lanes = append(all.lanes, newLane(m.ID))
		n.host.Peerstore().AddAddrs(m.ID, multiaddrs(m.Addrs), peerstore.PermanentAddrTTL)
	}
	if err := n.journal.Extend(all.stored()); err != nil {
		n.log.Error("cannot note who has come to the roster, which the next start does", "error", err)
	}
	n.admission.limit(all.spokenWith())
	n.roll.Store(all)
	for _, s := range a.Added {
		n.log.Warn("a member comes to the roster", "name", s.Name, "revision", a.Revision)
	}
	for _, m := range all.members[len(old.members):] {
		n.host.Network().ClosePeer(m.ID) // it was a stranger on the connections that there are
	}
	for _, l := range all.lanes[len(old.members):] {
		n.serve(l)
	}
	for _, r := range a.Removed {
		n.log.Warn("a member is removed from the roster", "name", all.members[r].Name, "revision", a.Revision)
	}
	n.streams.tasks.start(func() { n.dismiss(a) })
	return nil
}

// dismiss turns away who was removed, after a while.
func (n *Node) dismiss(a *consensus.Amendment) {
	select {
	case <-n.ctx.Done():
		return
	case <-time.After(farewellTime):
	}
	_, _ = n.loop.ask(n.ctx, &request{do: func() (*consensus.Decision, error) {
		all := n.roll.Load().clone()
		all.dismiss()
		n.roll.Store(all)
		n.admission.limit(all.active())
		for _, r := range a.Removed {
			if l := all.lanes[r]; l != nil {
				l.stop()
			}
			n.host.Network().ClosePeer(all.members[r].ID)
		}
		return nil, nil
	}})
}
