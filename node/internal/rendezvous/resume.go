package rendezvous

import (
	"context"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"

	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// A process that finds an unfinished run of this consortium in its folder resumes it. It needs
// no permission: by its identity it is the same member of the signed roster. Its hellos give
// the run and its present addresses. The others answer with the roster of the run that they are
// in, or report that the run is over at their end.

// Adopt makes the stored run the run of this process.
func (m *registry) Adopt(st *store.RunState, current *membership.Current) error {
	r := &membership.Roster{Consortium: m.consortium}
	for _, o := range st.Members[:st.Founders] {
		r.Entries = append(r.Entries, wire.Entry{Name: o.Name, ID: o.ID, Process: o.Process})
	}
	signature, err := r.Sign(m.cfg.Key)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.roster, m.signature, m.proposed = r, signature, r.Run()
	m.resumed, m.current, m.newcomer = st, current, nil
	return nil
}

// Return finds the members of the adopted run that this process resumes. It returns when it has
// found one of them; visits continue until all are found.
func (r *Rendezvous) Return(ctx context.Context) error {
	r.locked(r.report)
	members := r.current.Load()
	r.admit(members.Active())
	if err := r.discover(); err != nil {
		return err
	}
	for _, m := range members.Active() {
		r.found(peer.AddrInfo{ID: m.ID, Addrs: membership.Multiaddrs(m.Addrs)}, true)
	}
	r.cfg.Log.Info("resuming an unfinished run", "run", r.resumed.ID[:8], "members", members.Names())
	return r.settle(ctx)
}

// admit restricts the run to its members.
func (r *Rendezvous) admit(members []membership.Member) {
	ids := make([]peer.ID, len(members))
	for i, m := range members {
		ids[i] = m.ID
	}
	r.cfg.Host.Admission.Limit(ids)
}

// compare handles a hello for a process that resumes a run. The registry is locked.
func (m *registry) compare(from peer.ID, h wire.Hello) (again bool) {
	run, who := m.resumed.ID, membership.Describe(h.Name, from)
	if h.Refused == OtherFolder { // a member that has restarted said it before it heard that this process resumes the run
		return false
	}
	if h.Refused != "" {
		m.refused(from, h)
		return false
	}
	if field, own, theirs, differs := m.cfg.Agreement.Difference(h.Agreement); differs {
		err := &DisagreementError{Peer: who, Field: field, Own: own, Theirs: theirs}
		m.warn("apart "+from.String(), "a member's settings differ from those of the run", "reason", err)
		if m.count(from, claim{word: saidNo, why: err}) >= m.enough() {
			m.fail(err)
		}
		return false
	}
	if h.Over == run {
		m.over(from, who)
		return false
	}
	if h.Resume != run && (h.Roster == nil || membership.NewRoster(m.consortium, h.Roster).Run() != run) {
		m.warn("other "+from.String(), "a member is not in the run that this node resumes", "peer", who)
		return false
	}
	if a := m.records[from]; a == nil {
		m.cfg.Log.Info("found a member of the run", "name", h.Name, "peer", from)
		m.records[from] = &record{hello: h, signed: run}
		if m.events.Found != nil {
			m.events.Found(from, h.Addrs)
		}
		defer m.report()
	} else if a.hello.Process != h.Process {
		again = true
		m.again(from, h)
	}
	m.cfg.Host.Peerstore().AddAddrs(from, membership.Multiaddrs(h.Addrs), peerstore.PermanentAddrTTL)
	if !m.agreed {
		m.agreed = true
		close(m.complete)
	}
	return again
}

// over ends a process whose run is over at two other members, or at the only other one. The
// next process in this folder begins a new run.
func (m *registry) over(from peer.ID, who string) {
	m.warn("over "+from.String(), "a member reports that the run is over; one report alone is ignored", "peer", who)
	others := len(m.current.Load().Ranks) - 1
	if m.agreed || m.count(from, claim{word: saidOver}) < min(overLeast, others) {
		return
	}
	err := &OverError{Peer: who}
	if noted := m.resumed.End(err.Error()); noted != nil {
		m.cfg.Log.Error("cannot save that the run is over", "error", noted)
	}
	m.fail(err)
}

// again records a member's restarted process, once per process, and its addresses. The registry
// is locked.
func (m *registry) again(from peer.ID, h wire.Hello) {
	if m.records[from] == nil {
		m.cfg.Log.Info("found a member of the run", "name", h.Name, "peer", from)
	} else {
		m.cfg.Log.Warn("a member has restarted and resumes the run", "name", h.Name, "peer", from)
	}
	m.records[from] = &record{hello: h, signed: h.Resume}
	m.cfg.Host.Peerstore().AddAddrs(from, membership.Multiaddrs(h.Addrs), peerstore.PermanentAddrTTL)
	if m.events.Returned != nil {
		m.events.Returned(from, h.Addrs)
	}
}

// cut closes the connections to an earlier process of a member, which may seem alive for long.
// It keeps the connection of the new process.
func (r *Rendezvous) cut(keep network.Conn) {
	for _, c := range r.cfg.Host.Network().ConnsToPeer(keep.RemotePeer()) {
		if c != keep && c.Stat().Opened.Before(keep.Stat().Opened) {
			c.Close()
		}
	}
}
