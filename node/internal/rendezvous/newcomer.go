package rendezvous

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// A newcomer is a process that a change of the roster adds to a current run. It says hello to
// the members repeatedly. They admit it once they have decided the change. The run that they
// show must match its own agreement. From then on it acts like a process that was restarted with
// an empty log.
//
// A newcomer knows nothing else of the run, and once it has saved a run it stays with it. So it
// believes only a quorum of the members that decide the change that adds it. Each of them must
// show the same roster, with its own signature, and the same amendments. No signature covers the
// amendments, and none is needed. The connection proves the sender, and the amendments must be
// the first ones of the newcomer's own agreement, so that only their number is new to it.
type newcomer struct {
	founders []membership.Member    // in rank order
	members  []membership.Member    // founders and all added members, in rank order
	list     []*consensus.Amendment // amendments of this process's agreement
	deciders map[peer.ID]bool       // members before the change that adds this process, without those that it removes
	quorum   int                    // members that decide that change
	hurried  bool                   // a member has shown its run, and this process has asked all
	roster   *membership.Roster     // roster of the run, once this process is admitted
	decided  []*consensus.Amendment
}

// newcomer returns the newcomer that this process is, or nil if the roster lists it.
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
	return n, n.setDeciders(p, own)
}

// setDeciders sets the members that decide the change with the given index, which adds this process,
// in a run that begins with the given parameters.
func (n *newcomer) setDeciders(p consensus.Params, change int) (err error) {
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

// active returns the members after all changes.
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

// learn handles a member's hello. The registry is locked.
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
		m.warn("waits", "waiting until a quorum of the members has the change of the roster that adds this node; if they have it, compare the agreements", "peer", who)
	case m.count(from, claim{word: fmt.Sprintf("run %x with %d changes", r.Run(), len(h.Amendments))}) >= n.quorum:
		n.roster, n.decided = r, n.list[:len(h.Amendments)]
		m.agreed = true
		close(m.complete)
	case !n.hurried: // ask all at once: the others have decided the change as well, or soon will
		n.hurried = true
		m.announce()
	}
}

// doubt records that this process cannot join the run that a member shows. If a quorum shows
// such runs, no quorum is left to admit this process.
func (n *newcomer) doubt(m *registry, from peer.ID, err error) {
	m.warn("doubt "+from.String(), "cannot join the run that one member shows; the others may show another", "error", err)
	if n.deciders[from] && m.count(from, claim{word: saidNo, why: err}) >= n.quorum {
		m.fail(err)
	}
}

// shown returns the roster of the run that a member shows, or nil if the member does not admit
// this process yet.
func (n *newcomer) shown(m *registry, from peer.ID, h wire.Hello) (*membership.Roster, error) {
	who := membership.Describe(h.Name, from)
	switch h.Refused {
	case "":
	case OtherFolder, WasRemoved:
		if h.Refused == OtherFolder && m.hasEnded() {
			return nil, &EndedError{Name: m.cfg.Name}
		}
		return nil, &StrangerError{Peer: who, Detail: h.Refused}
	default:
		return nil, nil
	}
	if field, own, theirs, differs := m.cfg.Agreement.Difference(h.Agreement); differs {
		return nil, &DisagreementError{Peer: who, Field: field, Own: own, Theirs: theirs}
	}
	if h.Roster == nil {
		return nil, nil
	}
	r := membership.NewRoster(m.consortium, h.Roster)
	if err := r.Verify(from, h.Signature); err != nil {
		return nil, &StrangerError{Peer: who, Detail: "shows a roster that is not valid: " + err.Error()}
	}
	if err := n.compare(who, r, h.Amendments); err != nil {
		return nil, err
	}
	if _, in := n.rank(m.cfg.Host.ID(), len(h.Amendments)); !in {
		return nil, nil // the change that adds this node is not decided yet
	}
	return r, nil
}

// hasEnded reports whether the last run of this folder had the same agreement, and has ended.
func (m *registry) hasEnded() bool {
	st, err := m.cfg.Store.Last()
	return err == nil && st != nil && st.Consortium == m.consortium && st.Over != ""
}

// compare returns an error if the run has other founders than this process's agreement, or
// other changes.
func (n *newcomer) compare(who string, r *membership.Roster, amendments [][]byte) error {
	same := slices.EqualFunc(r.Entries, n.founders, func(e wire.Entry, m membership.Member) bool {
		return e.Name == m.Name && bytes.Equal(e.ID, []byte(m.ID))
	})
	if !same {
		return &StrangerError{Peer: who, Detail: fmt.Sprintf("is in a run whose members differ from this node's agreement: %q", r.Names())}
	}
	for i, b := range amendments[:min(len(amendments), len(n.list))] {
		if own := n.list[i].Encode(); !bytes.Equal(b, own) {
			return &DisagreementError{
				Peer: who, Field: fmt.Sprintf("change %d of the roster", i+1), Own: membership.Quoted(string(own)), Theirs: membership.Quoted(string(b)),
				Fix: takeOver,
			}
		}
	}
	if len(amendments) > len(n.list) {
		return &DisagreementError{
			Peer: who, Field: "the number of changes of the roster", Own: fmt.Sprint(len(n.list)), Theirs: fmt.Sprint(len(amendments)),
			Fix: takeOver,
		}
	}
	return nil
}

// takeOver is what a newcomer does whose agreement has not the changes that the members have made.
const takeOver = "ask a member for its present agreement, which has all changes, and start this node with it"

// rank returns the rank that the given number of first amendments assign to a peer.
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

// Newcomer reports whether a change in the configuration adds this process to a current run. If
// so, the rendezvous treats it as a newcomer.
func (r *Rendezvous) Newcomer() (bool, error) {
	n, err := r.cfg.newcomer(r.cfg.Host.ID())
	r.locked(func() { r.newcomer = n })
	return n != nil, err
}

// Come waits until the members admit this newcomer, and returns the run that they show, without
// its secret. Visits continue until all members are found.
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

// run returns the run that has admitted this process.
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
