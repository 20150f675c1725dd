package rendezvous

import (
	"context"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"

	"github.com/collabdict/collabdict/internal/store"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// A process that finds an unfinished run of this consortium in its folder resumes it.
// It needs nobody's leave, since it is the same member, by its identity,
// of the roster that all have signed. It tells the others in its hellos which run
// it resumes and where it can be reached now; they answer with the roster of the
// run that they are in, or that the run is over for them.

// Adopt makes the run of a journal that which this process speaks of.
func (m *registry) Adopt(j *store.Journal, current *membership.Current) error {
	r := &membership.Roster{Consortium: m.consortium}
	for _, o := range j.Members[:j.Founders] {
		r.Entries = append(r.Entries, wire.Entry{Name: o.Name, ID: o.ID, Process: o.Process})
	}
	signature, err := r.Sign(m.cfg.Key)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.roster, m.signature, m.proposed = r, signature, r.Run()
	m.resumed, m.current, m.newcomer = j, current, nil
	return nil
}

// Return finds the members of a run that this process resumes, which it has adopted. It
// returns when one of them is found; visits go on until all are.
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
	r.cfg.Log.Info("resumes an unfinished run", "run", r.resumed.ID[:8], "members", members.Names())
	return r.settle(ctx)
}

// admit lets nobody but the members take part.
func (r *Rendezvous) admit(members []membership.Member) {
	ids := make([]peer.ID, len(members))
	for i, m := range members {
		ids[i] = m.ID
	}
	r.cfg.Host.Admission.Limit(ids)
}

// compare takes in what a member says to a process that resumes a run. The
// registry is locked.
func (m *registry) compare(from peer.ID, h wire.Hello) (again bool) {
	run, who := m.resumed.ID, membership.Describe(h.Name, from)
	if h.Refused != "" {
		m.refused(from, h)
		return false
	}
	if field, own, theirs, differs := m.cfg.Agreement.Difference(h.Agreement); differs {
		err := &DisagreementError{Peer: who, Field: membership.Printable(field), Own: own, Theirs: theirs}
		m.warn("apart "+from.String(), "a member has come with other settings than the run", "reason", err)
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

// over ends a process whose run is over for two other members, or for the only one
// that there is. The next process in this folder begins anew.
func (m *registry) over(from peer.ID, who string) {
	m.warn("over "+from.String(), "a member says that the run is over for it, and is not believed alone", "peer", who)
	others := len(m.current.Load().Ranks) - 1
	if m.agreed || m.count(from, claim{word: saidOver}) < min(overLeast, others) {
		return
	}
	err := &OverError{Peer: who}
	if noted := m.resumed.End(err.Error()); noted != nil {
		m.cfg.Log.Error("cannot note that the run is over", "error", noted)
	}
	m.fail(err)
}

// again notes that a member of the run was started again, once for each process,
// and where it is reached now. The registry is locked.
func (m *registry) again(from peer.ID, h wire.Hello) {
	if m.records[from] == nil {
		m.cfg.Log.Info("found a member of the run", "name", h.Name, "peer", from)
	} else {
		m.cfg.Log.Warn("a member was started again and resumes the run", "name", h.Name, "peer", from)
	}
	m.records[from] = &record{hello: h, signed: h.Resume}
	m.cfg.Host.Peerstore().AddAddrs(from, membership.Multiaddrs(h.Addrs), peerstore.PermanentAddrTTL)
	if m.events.Returned != nil {
		m.events.Returned(from, h.Addrs)
	}
}

// cut closes the connections to an earlier process of a member, which may seem
// alive for long, and keeps the one that its new process speaks on.
func (r *Rendezvous) cut(keep network.Conn) {
	for _, c := range r.cfg.Host.Network().ConnsToPeer(keep.RemotePeer()) {
		if c != keep && c.Stat().Opened.Before(keep.Stat().Opened) {
			c.Close()
		}
	}
}
