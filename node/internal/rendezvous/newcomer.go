package rendezvous

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/store"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
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
	founders []membership.Member    // in rank order
	members  []membership.Member    // all who are named, in rank order
	list     []*consensus.Amendment // of the own agreement
	deciders map[peer.ID]bool       // the members that the change which adds this process finds and leaves
	quorum   int                    // of those that it finds
	hurries  bool                   // one of them has shown its run
	roster   *membership.Roster     // of the run, once it is let in
	decided  []*consensus.Amendment
}

// newcomer returns what this process knows as one, nil if the roster lists it.
func (c *Config) newcomer(self peer.ID) (*newcomer, error) {
	isSelf := func(m membership.Member) bool { return m.ID == self }
	if len(c.Changes) == 0 || slices.ContainsFunc(c.Members, isSelf) {
		return nil, nil
	}
	founders, p := membership.Founding(c.Members, c.Settings)
	list, err := membership.Amendments(p, founders, c.Changes)
	if err != nil {
		return nil, err
	}
	n := &newcomer{founders: founders, members: slices.Clone(founders), list: list, deciders: map[peer.ID]bool{}}
	for _, change := range c.Changes {
		n.members = append(n.members, change.Add...)
	}
	own := slices.IndexFunc(c.Changes, func(change membership.Change) bool { return slices.ContainsFunc(change.Add, isSelf) })
	return n, n.believe(p, own)
}

// believe notes who decides a change of a run that begins with the given parameters.
func (n *newcomer) believe(p consensus.Params, change int) (err error) {
	for _, a := range n.list[:change] {
		if p, err = p.Amend(a); err != nil {
			return err
		}
	}
	n.quorum = membership.QuorumOf(&p)
	gone := slices.Concat(p.Removed, n.list[change].Removed)
	for rank := range p.Members {
		if !slices.Contains(gone, uint32(rank)) {
			n.deciders[n.members[rank].ID] = true
		}
	}
	return nil
}

func (n *newcomer) knows(id peer.ID) bool {
	return slices.ContainsFunc(n.members, func(m membership.Member) bool { return m.ID == id })
}

// active returns the members that there are after all changes.
func (n *newcomer) active() []membership.Member {
	removed := map[int]bool{}
	for _, a := range n.list {
		for _, r := range a.Removed {
			removed[int(r)] = true
		}
	}
	var list []membership.Member
	for rank, m := range n.members {
		if !removed[rank] {
			list = append(list, m)
		}
	}
	return list
}

// learn takes in what a member says. The registry is locked.
func (n *newcomer) learn(m *registry, from peer.ID, h wire.Hello) {
	if !n.deciders[from] {
		return
	}
	who := membership.Describe(h.Name, from)
	r, err := n.shown(m, from, h)
	switch {
	case err != nil:
		n.doubt(m, from, err)
	case r == nil:
		m.warn("waits", "waits until a quorum of the members has the change of the roster that adds this node", "peer", who)
	case m.count(from, claim{word: fmt.Sprintf("run %x with %d changes", r.Run(), len(h.Amendments))}) >= n.quorum:
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
func (n *newcomer) doubt(m *registry, from peer.ID, err error) {
	m.warn("doubt "+from.String(), "cannot come into the run as one member shows it; the others may show it differently", "error", err)
	if n.deciders[from] && m.count(from, claim{word: saidNo, why: err}) >= n.quorum {
		m.fail(err)
	}
}

// shown returns the roster of the run that a member shows, or nil if it does not let
// this process in yet.
func (n *newcomer) shown(m *registry, from peer.ID, h wire.Hello) (*membership.Roster, error) {
	who := membership.Describe(h.Name, from)
	switch h.Refused {
	case "":
	case OtherFolder, WasRemoved:
		return nil, &StrangerError{Peer: who, Detail: h.Refused}
	default:
		return nil, nil
	}
	if field, own, theirs, differs := m.cfg.Agreement.Difference(h.Agreement); differs {
		return nil, &DisagreementError{Peer: who, Field: membership.Printable(field), Own: own, Theirs: theirs}
	}
	if h.Roster == nil {
		return nil, nil
	}
	r := membership.NewRoster(m.consortium, h.Roster)
	if err := r.Verify(from, h.Signature); err != nil {
		return nil, &StrangerError{Peer: who, Detail: "shows a roster that cannot be believed: " + err.Error()}
	}
	if err := n.compare(who, r, h.Amendments); err != nil {
		return nil, err
	}
	if _, in := n.rank(m.cfg.Host.ID(), len(h.Amendments)); !in {
		return nil, nil // the change that adds this node is still to come
	}
	return r, nil
}

// compare reports a run of other members than the own agreement's, or one that was
// changed in another way.
func (n *newcomer) compare(who string, r *membership.Roster, amendments [][]byte) error {
	same := slices.EqualFunc(r.Entries, n.founders, func(e wire.Entry, m membership.Member) bool {
		return e.Name == m.Name && bytes.Equal(e.ID, []byte(m.ID))
	})
	if !same {
		return &StrangerError{Peer: who, Detail: fmt.Sprintf("is in a run of other members than this node's agreement lists: %q", r.Names())}
	}
	for i, b := range amendments {
		if i >= len(n.list) || !bytes.Equal(b, n.list[i].Encode()) {
			return &DisagreementError{Peer: who, Field: fmt.Sprintf("change %d of the roster", i+1), Own: n.describe(i), Theirs: membership.Quoted(string(b))}
		}
	}
	return nil
}

func (n *newcomer) describe(i int) string {
	if i >= len(n.list) {
		return membership.Missing
	}
	return membership.Quoted(string(n.list[i].Encode()))
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

// Newcomer makes this process one that a change of the roster adds to a run under way, if
// its configuration says so, and reports whether it does.
func (r *Rendezvous) Newcomer() (bool, error) {
	n, err := r.cfg.newcomer(r.cfg.Host.ID())
	r.locked(func() { r.newcomer = n })
	return n != nil, err
}

// Come waits until the members let this newcomer in, and returns the run as they show it,
// without its secret. Visits go on until all are found.
func (r *Rendezvous) Come(ctx context.Context) (store.Run, error) {
	r.locked(r.report)
	nc := r.newcomer
	r.admit(nc.members)
	if err := r.discover(); err != nil {
		return store.Run{}, err
	}
	for _, m := range nc.members {
		if info, err := m.AddrInfo(); err == nil {
			r.found(info, true)
		}
	}
	if err := r.settle(ctx); err != nil {
		return store.Run{}, err
	}
	return nc.run(r.cfg.Host.ID()), nil
}

// run returns the run that this process is let into.
func (n *newcomer) run(self peer.ID) store.Run {
	rank, _ := n.rank(self, len(n.decided))
	r := store.Run{ID: n.roster.Run(), Consortium: n.roster.Consortium, Self: rank, Founders: len(n.founders)}
	for i, e := range n.roster.Entries {
		r.Members = append(r.Members, store.Member{Name: e.Name, ID: e.ID, Process: e.Process, Addrs: n.founders[i].Addrs})
	}
	for _, a := range n.decided {
		for _, s := range a.Added {
			r.Members = append(r.Members, store.Member{Name: s.Name, ID: s.ID, Addrs: s.Addrs})
		}
	}
	return r
}
