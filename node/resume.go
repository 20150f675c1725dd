package node

import (
	"bytes"
	"context"
	"errors"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/store"
	"github.com/collabdict/collabdict/internal/wire"
)

// A process that finds an unfinished run of this consortium in its folder goes on
// with it. It needs nobody's leave, since it is the same member, by its identity,
// of the roster that all have signed. It tells the others in its hellos which run
// it resumes and where it can be reached now; they answer with the roster of the
// run that they are in, or that the run is over for them.

// unfinished returns the run to go on with, or nil.
func (g *greeter) unfinished() (*store.Journal, error) {
	j, err := g.store.Last()
	if err != nil || j == nil || j.Over != "" {
		return nil, err
	}
	if j.Consortium != g.consortium || !bytes.Equal(j.Members[j.Self].ID, []byte(g.host.ID())) {
		g.log.Warn("a run with another agreement was left in this folder before its end; a new one begins")
		return nil, nil
	}
	return j, nil
}

// resume goes on with a run as soon as one other member is found to be in it.
func (g *greeter) resume(ctx context.Context, j *store.Journal) (*Node, error) {
	n, err := g.adopt(j)
	if err != nil {
		return nil, err
	}
	g.locked(g.report)
	g.admission.limit(n.roll.Load().active())
	g.joining = g.ctx // the visits go on until all members are found
	stop, err := g.discover()
	if err != nil {
		return nil, err
	}
	for _, m := range n.roll.Load().active() {
		g.found(peer.AddrInfo{ID: m.ID, Addrs: multiaddrs(m.Addrs)}, true)
	}
	g.log.Info("goes on with an unfinished run", "run", j.ID[:8], "members", n.roll.Load().names())
	if err = g.settle(ctx); err == nil {
		err = g.take(n)
	}
	return g.linger(n, stop, err)
}

// adopt makes the run of a journal that which this process speaks of.
func (g *greeter) adopt(j *store.Journal) (*Node, error) {
	r := &roster{consortium: g.consortium}
	for _, m := range j.Members[:j.Founders] {
		r.entries = append(r.entries, wire.Entry{Name: m.Name, ID: m.ID, Process: m.Process})
	}
	signature, err := r.sign(g.key)
	if err != nil {
		return nil, err
	}
	n := g.node(j)
	members, err := g.members(n)
	if err != nil {
		return nil, err
	}
	if members.removed[n.self] { // an earlier process has written it down, and ended before it could say so
		err := &consensus.RemovedError{Revision: members.params.Revision}
		return nil, errors.Join(err, j.End(err.Error()))
	}
	n.roll.Store(members)
	g.locked(func() {
		g.roster, g.signature, g.proposed = r, signature, r.run()
		g.resumed, g.roll, g.newcomer = j, &n.roll, nil
	})
	return n, nil
}

// linger lets the visits go on through the run, or ends them with an error.
func (g *greeter) linger(n *Node, stop func(), err error) (*Node, error) {
	end := func() { stop(); g.visits.end(context.Background()) }
	if err != nil {
		g.cancel()
		end()
		return nil, err
	}
	n.work.Go(func() { <-g.ctx.Done(); end() })
	return n, nil
}

// compare takes in what a member says to a process that goes on with a run. The
// meeting is locked.
func (m *meeting) compare(from peer.ID, h wire.Hello) (again bool) {
	run, who := m.resumed.ID, describe(h.Name, from)
	if h.Refused != "" {
		m.refused(from, h)
		return false
	}
	if field, own, theirs, differs := m.agreement.difference(h.Agreement); differs {
		m.fail(&DisagreementError{Peer: who, Field: printable(field), Own: own, Theirs: theirs})
		return false
	}
	if h.Over == run {
		m.over(from, who)
		return false
	}
	if h.Resume != run && (h.Roster == nil || newRoster(m.consortium, h.Roster).run() != run) {
		m.warn("other "+from.String(), "a member is not in the run that this node goes on with", "peer", who)
		return false
	}
	if a := m.met[from]; a == nil {
		m.log.Info("found a member of the run", "name", h.Name, "peer", from)
		m.met[from] = &acquaintance{hello: h, signed: run}
		if m.onFound != nil {
			m.onFound(from, h.Addrs)
		}
		defer m.report()
	} else if a.hello.Process != h.Process {
		again = true
		m.again(from, h)
	}
	m.host.Peerstore().AddAddrs(from, multiaddrs(h.Addrs), peerstore.PermanentAddrTTL)
	if !m.agreed {
		m.agreed = true
		close(m.complete)
	}
	return again
}

// over ends a process whose run is over for two other members, or for the only one
// that there is. The next process in this folder begins anew.
func (m *meeting) over(from peer.ID, who string) {
	m.warn("over "+from.String(), "a member says that the run is over for it, and is not believed alone", "peer", who)
	others := len(m.roll.Load().ranks) - 1
	if m.agreed || m.count(from, saidOver) < min(overLeast, others) {
		return
	}
	err := &OverError{Peer: who}
	if noted := m.resumed.End(err.Error()); noted != nil {
		m.log.Error("cannot note that the run is over", "error", noted)
	}
	m.fail(err)
}

// again notes that a member of the run was started again, once for each process,
// and where it is reached now. The meeting is locked.
func (m *meeting) again(from peer.ID, h wire.Hello) {
	if m.met[from] == nil {
		m.log.Info("found a member of the run", "name", h.Name, "peer", from)
	} else {
		m.log.Warn("a member was started again and goes on with the run", "name", h.Name, "peer", from)
	}
	m.met[from] = &acquaintance{hello: h, signed: h.Resume}
	m.host.Peerstore().AddAddrs(from, multiaddrs(h.Addrs), peerstore.PermanentAddrTTL)
	if m.onReturn != nil {
		m.onReturn(from, h.Addrs)
	}
}

// cut closes the connections to an earlier process of a member, which may take
// long to be found dead, and keeps the one that its new process speaks on.
func (g *greeter) cut(keep network.Conn) {
	for _, c := range g.host.Network().ConnsToPeer(keep.RemotePeer()) {
		if c != keep && c.Stat().Opened.Before(keep.Stat().Opened) {
			c.Close()
		}
	}
}

// welcome does what is to be done when a member has come back: it drops what was
// meant for its earlier process, and keeps the address.
func (n *Node) welcome(from peer.ID, addrs []string) {
	rank, member := n.roll.Load().ranks[from]
	l := n.roll.lane(rank)
	if !member || l == nil {
		return
	}
	l.clear()
	n.reached(from, addrs)
}

// noteCame notes that a newcomer has taken part: without its folder it is not let in
// again.
func (n *Node) noteCame(rank int) {
	n.meeting.locked(func() { n.meeting.came[n.roll.Load().members[rank].ID] = true })
	if err := n.journal.Came(rank); err != nil {
		n.log.Error("cannot note that a member has come", "error", err)
	}
}

// reached keeps the address of a member.
func (n *Node) reached(from peer.ID, addrs []string) {
	rank, member := n.roll.Load().ranks[from]
	if !member {
		return
	}
	n.streams.tasks.start(func() {
		if err := n.journal.Reached(rank, addrs); err != nil {
			n.log.Error("cannot note where a member is reached", "error", err)
		}
	})
}
