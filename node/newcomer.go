package node

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/store"
	"github.com/collabdict/collabdict/internal/wire"
)

// newcomer is a process that a change of the roster adds to a run under way. It says
// hello to the members again and again. They let it in when they have decided the
// change; what they tell it then must be what its own agreement says. From there on
// it is as a process that was started again with an empty log.
//
// It knows nothing of the run but what it is told, and goes on for ever with the run
// that it has once written down. So it believes a quorum of those who decide the change
// that adds it: k of them show the same roster, each with its own signature, and the
// same amendments. No signature covers the amendments, and none needs to: the connection
// proves who shows them, and they must be the first of the own agreement, so that only
// their number is news.
type newcomer struct {
	founders []Member               // in rank order
	members  []Member               // all who are named, in rank order
	list     []*consensus.Amendment // of the own agreement
	deciders map[peer.ID]bool       // the members that the change which adds this process finds and leaves
	quorum   int                    // of those that it finds
	hurries  bool                   // one of them has shown its run
	roster   *roster                // of the run, once it is let in
	decided  []*consensus.Amendment
}

// newcomer returns what this process knows as one, nil if the roster lists it.
func (c *Config) newcomer(self peer.ID) (*newcomer, error) {
	isSelf := func(m Member) bool { return m.ID == self }
	if len(c.Changes) == 0 || slices.ContainsFunc(c.Members, isSelf) {
		return nil, nil
	}
	founders, p := c.founding()
	list, err := amendmentsOf(p, founders, c.Changes)
	if err != nil {
		return nil, err
	}
	n := &newcomer{founders: founders, members: slices.Clone(founders), list: list, deciders: map[peer.ID]bool{}}
	for _, change := range c.Changes {
		n.members = append(n.members, change.Add...)
	}
	own := slices.IndexFunc(c.Changes, func(change Change) bool { return slices.ContainsFunc(change.Add, isSelf) })
	return n, n.believe(p, own)
}

// believe notes who decides a change of a run that begins with the given parameters.
func (n *newcomer) believe(p consensus.Params, change int) (err error) {
	for _, a := range n.list[:change] {
		if p, err = p.Amend(a); err != nil {
			return err
		}
	}
	n.quorum = quorumOf(&p)
	gone := slices.Concat(p.Removed, n.list[change].Removed)
	for rank := range p.Members {
		if !slices.Contains(gone, uint32(rank)) {
			n.deciders[n.members[rank].ID] = true
		}
	}
	return nil
}

// founding returns the members that a run begins with, in rank order, and its
// parameters.
func (c *Config) founding() ([]Member, consensus.Params) {
	founders := slices.SortedFunc(slices.Values(c.Members), func(a, b Member) int {
		return compareEntries(wire.Entry{Name: a.Name, ID: []byte(a.ID)}, wire.Entry{Name: b.Name, ID: []byte(b.ID)})
	})
	p := consensus.Params{Settings: c.Settings}
	for _, m := range founders {
		p.Members = append(p.Members, m.Name)
	}
	return founders, p
}

func (n *newcomer) knows(id peer.ID) bool {
	return slices.ContainsFunc(n.members, func(m Member) bool { return m.ID == id })
}

// active returns the members that there are after all changes.
func (n *newcomer) active() []Member {
	removed := map[int]bool{}
	for _, a := range n.list {
		for _, r := range a.Removed {
			removed[int(r)] = true
		}
	}
	var list []Member
	for rank, m := range n.members {
		if !removed[rank] {
			list = append(list, m)
		}
	}
	return list
}

// learn takes in what a member says. The meeting is locked.
func (n *newcomer) learn(m *meeting, from peer.ID, h wire.Hello) {
	if !n.deciders[from] {
		return
	}
	who := describe(h.Name, from)
	r, err := n.shown(m, from, h)
	switch {
	case err != nil:
		n.doubt(m, from, err)
	case r == nil:
		m.warn("waits", "waits until a quorum of the members has the change of the roster that adds this node", "peer", who)
	case m.count(from, fmt.Sprintf("run %x with %d changes", r.run(), len(h.Amendments))) >= n.quorum:
		n.roster, n.decided = r, n.list[:len(h.Amendments)]
		m.agreed = true
		close(m.complete)
	case !n.hurries: // the others have decided the change as well, or soon will
		n.hurries = true
		m.announce()
	}
}

// doubt takes in that a member's run is none that this process can come into. If a
// quorum says so, no quorum is left to let it in.
func (n *newcomer) doubt(m *meeting, from peer.ID, err error) {
	m.warn("doubt "+from.String(), "cannot come into the run as one member shows it; the others may show it differently", "error", err)
	if n.deciders[from] && m.count(from, saidNo) >= n.quorum {
		m.fail(err)
	}
}

// shown returns the roster of the run that a member shows, or nil if it does not let
// this process in yet.
func (n *newcomer) shown(m *meeting, from peer.ID, h wire.Hello) (*roster, error) {
	who := describe(h.Name, from)
	switch h.Refused {
	case "":
	case otherFolder, wasRemoved:
		return nil, &StrangerError{Peer: who, Detail: h.Refused}
	default:
		return nil, nil
	}
	if field, own, theirs, differs := m.agreement.difference(h.Agreement); differs {
		return nil, &DisagreementError{Peer: who, Field: printable(field), Own: own, Theirs: theirs}
	}
	if h.Roster == nil {
		return nil, nil
	}
	r := newRoster(m.consortium, h.Roster)
	if err := r.verify(from, h.Signature); err != nil {
		return nil, &StrangerError{Peer: who, Detail: "shows a roster that cannot be believed: " + err.Error()}
	}
	if err := n.compare(who, r, h.Amendments); err != nil {
		return nil, err
	}
	if _, in := n.rank(m.host.ID(), len(h.Amendments)); !in {
		return nil, nil // the change that adds this node is still to come
	}
	return r, nil
}

// compare reports a run of other members than the own agreement's, or one that was
// changed in another way.
func (n *newcomer) compare(who string, r *roster, amendments [][]byte) error {
	same := slices.EqualFunc(r.entries, n.founders, func(e wire.Entry, m Member) bool {
		return e.Name == m.Name && bytes.Equal(e.ID, []byte(m.ID))
	})
	if !same {
		return &StrangerError{Peer: who, Detail: fmt.Sprintf("is in a run of other members than this node's agreement lists: %q", r.names())}
	}
	for i, b := range amendments {
		if i >= len(n.list) || !bytes.Equal(b, n.list[i].Encode()) {
			return &DisagreementError{Peer: who, Field: fmt.Sprintf("change %d of the roster", i+1), Own: n.describe(i), Theirs: quoted(string(b))}
		}
	}
	return nil
}

func (n *newcomer) describe(i int) string {
	if i >= len(n.list) {
		return missing
	}
	return quoted(string(n.list[i].Encode()))
}

// rank returns the rank that one of the first amendments gives a peer.
func (n *newcomer) rank(id peer.ID, amendments int) (rank int, in bool) {
	next := len(n.founders)
	for _, a := range n.list[:amendments] {
		if in && slices.Contains(a.Removed, uint32(rank)) {
			in = false
		}
		for _, s := range a.Added {
			if bytes.Equal(s.ID, []byte(id)) {
				rank, in = next, true
			}
			next++
		}
	}
	return rank, in
}

// come joins the run of the others as soon as they let this process in.
func (g *greeter) come(ctx context.Context, nc *newcomer) (*Node, error) {
	g.admission.limit(nc.members)
	g.joining = g.ctx
	stop, err := g.discover()
	if err != nil {
		return nil, err
	}
	for _, m := range nc.members {
		if info, err := m.addrInfo(); err == nil {
			g.found(info, true)
		}
	}
	var n *Node
	if err = g.settle(ctx); err == nil {
		n, err = g.beginWith(nc)
	}
	return g.linger(n, stop, err)
}

// beginWith begins this member's part in a run that it is let into.
func (g *greeter) beginWith(nc *newcomer) (*Node, error) {
	if g.store.Knows(nc.roster.run()) {
		// What an earlier process has promised there is forgotten.
		return nil, &EndedError{Name: g.cfg.Name}
	}
	rank, _ := nc.rank(g.host.ID(), len(nc.decided))
	r := store.Run{ID: nc.roster.run(), Consortium: g.consortium, Self: rank, Founders: len(nc.founders)}
	for i, e := range nc.roster.entries {
		r.Members = append(r.Members, store.Member{Name: e.Name, ID: e.ID, Process: e.Process, Addrs: nc.founders[i].Addrs})
	}
	for _, a := range nc.decided {
		for _, s := range a.Added {
			r.Members = append(r.Members, store.Member{Name: s.Name, ID: s.ID, Addrs: s.Addrs})
		}
	}
	j, err := g.record(r)
	if err != nil {
		return nil, err
	}
	n, err := g.adopt(j)
	if err != nil {
		return nil, err
	}
	return n, g.take(n)
}
