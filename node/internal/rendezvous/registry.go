package rendezvous

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/internal/files/printable"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// A registry holds the peer records of a process and the roster that it signs. During the run
// it answers latecomers and members that come back.
type registry struct {
	cfg        Config
	consortium [32]byte
	process    [32]byte // random identity of this process

	mu        sync.Mutex
	sequence  uint64 // number of the last hello
	records   map[peer.ID]*record
	proposed  [32]byte           // run of the full roster announced to the others
	roster    *membership.Roster // roster that this process has signed; nil before
	signature []byte
	offered   map[[32]byte]*membership.Roster // full rosters announced to the others
	agreed    bool                            // all have signed
	complete  chan struct{}                   // closed when all have signed
	failure   error
	failed    chan struct{} // closed with failure
	leaving   string
	changed   chan struct{} // closed and replaced when there is news for the others
	warned    map[string]bool
	claims    map[peer.ID]claim    // last claim of each peer
	resuming  map[peer.ID][32]byte // runs that peers say they resume
	resumed   *store.RunState      // state of the run that this process resumes; nil if none
	current   *membership.Current  // membership of the run; nil before
	newcomer  *newcomer            // not nil if a change is to add this process to a run
	came      map[peer.ID]bool     // newcomers that have taken part
	events    Events
	here      map[peer.ID]time.Time // when look first saw each present member
	apartNow  []Unreached           // the last result of look
}

// A record is the peer record of another process that has said hello with the same agreement.
type record struct {
	hello       wire.Hello // its last hello
	signed      [32]byte   // run whose roster it has signed, if any; the signature is valid
	unreachable bool       // has disconnected since the hello, and has not signed
}

// hello returns the hello of this process to a peer.
func (m *registry) hello(to peer.ID) wire.Hello {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, resumes := m.resuming[to]; m.came[to] && !resumes {
		return wire.Hello{Process: m.process, Name: m.cfg.Name, Refused: OtherFolder}
	}
	if !m.admits(to) {
		return wire.Hello{Process: m.process, Name: m.cfg.Name, Refused: m.refusal(to)}
	}
	if reason := m.claims[to].told; reason != "" && m.roster == nil {
		return wire.Hello{Process: m.process, Name: m.cfg.Name, Refused: reason}
	}
	m.sequence++
	h := wire.Hello{
		Sequence: m.sequence, Name: m.cfg.Name, Expect: uint32(m.cfg.Size), Process: m.process,
		Proposal: m.proposal().Run(), Leaving: m.leaving, Signature: m.signature,
	}
	for _, f := range m.cfg.Agreement {
		h.Agreement = append(h.Agreement, wire.Field(f))
	}
	for _, a := range m.cfg.Host.Addrs() {
		h.Addrs = append(h.Addrs, a.String())
	}
	h.Addrs = h.Addrs[:min(len(h.Addrs), wire.MaxAddrs)]
	h.Links, h.Relays, h.Clock = m.links(), m.cfg.Host.Relays(), time.Now().UnixMilli()
	if m.roster != nil {
		h.Roster = m.roster.Entries
	}
	if m.current != nil {
		h.Amendments = m.current.Load().Amendments
	}
	if m.resumed != nil {
		h.Resume = m.resumed.ID
	}
	if run, resumes := m.resuming[to]; resumes && m.cfg.Store.Over(run) != "" {
		h.Over = run
	}
	if _, resumes := m.resuming[to]; resumes || m.resumed != nil {
		h.Contacts = m.contacts(to)
	} else if a := m.records[to]; a == nil || a.hello.Proposal != h.Proposal || m.agreed { // its process may have lost its state
		h.Contacts = m.contacts(to)
	}
	return h
}

// contacts returns the other peers, for a peer that may not know them.
func (m *registry) contacts(to peer.ID) (contacts []wire.Contact) {
	for id, a := range m.records {
		if id != to {
			contacts = append(contacts, wire.Contact{ID: []byte(id), Addrs: m.addrsOf(id, a.hello.Addrs)})
		}
	}
	return contacts
}

// knows is admits for callers without the lock.
func (m *registry) knows(id peer.ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.admits(id)
}

// admits reports whether a peer may be a member. If the roster was agreed beforehand, it must
// list the peer. The registry is locked.
func (m *registry) admits(id peer.ID) bool {
	switch {
	case m.newcomer != nil:
		return m.newcomer.knows(id)
	case m.current != nil && (m.resumed != nil || len(m.cfg.Members) > 0 || len(m.current.Load().Amendments) > 0):
		return m.current.Has(id)
	}
	return len(m.cfg.Members) == 0 || slices.ContainsFunc(m.cfg.Members, func(o membership.Member) bool { return o.ID == id })
}

// learn handles a peer's hello. Only the peer's ID is proven; all else is its claim, and
// nothing counts if the peer is a stranger. learn reports whether a member of the run has come
// back with this hello.
func (m *registry) learn(from peer.ID, h wire.Hello) (again bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	who := membership.Describe(h.Name, from)
	if !m.admits(from) {
		m.warn("stranger "+from.String(), "a process that the roster does not list is refused", "peer", who)
		return false
	}
	if !printable.Name(h.Name) && (m.resumed != nil || m.newcomer != nil || m.agreed) { // otherwise consider refuses it
		m.warn("name "+from.String(), "a process has a name that cannot be printed; its hellos are ignored", "peer", who)
		return false
	}
	delete(m.resuming, from)
	if h.Resume != [32]byte{} && len(m.resuming) < m.peersMost() {
		m.resuming[from] = h.Resume
	}
	delete(m.claims, from)
	if m.agreed && m.current != nil && h.Refused == WasRemoved {
		m.removed(from)
		return false
	}
	switch {
	case m.failure != nil:
	case m.resumed != nil:
		return m.compare(from, h)
	case m.newcomer != nil:
		if !m.agreed {
			m.newcomer.learn(m, from, h)
		}
	case m.agreed && h.Resume == m.proposed && m.belongs(from):
		a := m.records[from]
		if again = a == nil || a.hello.Process != h.Process; again {
			m.again(from, h)
		}
	case h.Resume != [32]byte{} && h.Refused == "":
		m.warn("other "+from.String(), "a member resumes a run that this node is not in", "peer", who)
	case m.agreed || m.roster != nil && !m.belongs(from):
		m.latecomer(from, h)
	case h.Refused != "":
		m.refused(from, h)
	default:
		m.consider(from, h)
	}
	return again
}

// belongs reports whether the run's roster, or the roster that this process has signed, lists a
// peer.
func (m *registry) belongs(id peer.ID) bool {
	if m.current != nil {
		return m.current.Has(id)
	}
	return m.roster.Has(id)
}

// consider handles the hello of a possible member.
func (m *registry) consider(from peer.ID, h wire.Hello) {
	var signed [32]byte
	err := m.checkSame(from, h)
	if err == nil && h.Leaving != "" {
		m.withdraw(from, h)
		return
	}
	if err == nil {
		signed, err = m.checkRoster(from, h)
	}
	if err == nil && (m.records[from] != nil || from < m.cfg.Host.ID()) {
		err = m.countersign(signed)
	}
	if err == nil {
		err = m.checkRoom(from, h)
	}
	if err == nil {
		err = m.welcome(from, h, signed)
	}
	if err != nil {
		m.object(from, h, err)
	}
}

// welcome records a member and the run whose roster it has signed, if any.
func (m *registry) welcome(from peer.ID, h wire.Hello, signed [32]byte) error {
	a := m.records[from]
	if a != nil && a.hello.Process == h.Process && a.hello.Sequence > h.Sequence {
		return nil // a later hello has overtaken this one
	}
	if a == nil {
		a = &record{}
		m.records[from] = a
		m.cfg.Log.Info("met a member", "name", h.Name, "peer", from, "members", fmt.Sprintf("%d of %d", len(m.records)+1, m.cfg.Size))
		defer m.report()
	} else if a.unreachable {
		a.unreachable = false
		m.cfg.Log.Info("a member is connected again", "name", h.Name, "peer", from)
		defer m.report()
	} else if a.hello.Process != h.Process {
		m.cfg.Log.Info("a member has restarted", "name", h.Name, "peer", from)
	}
	a.hello, a.signed = h, signed
	m.cfg.Host.Peerstore().AddAddrs(from, membership.Multiaddrs(h.Addrs), m.ttl())
	return m.subscribe()
}

// checkSame returns an error if the agreement differs, or if a name is wrong or used twice.
func (m *registry) checkSame(from peer.ID, h wire.Hello) error {
	who := membership.Describe(h.Name, from)
	if field, own, theirs, differs := m.cfg.Agreement.Difference(h.Agreement); differs {
		return &DisagreementError{Peer: who, Field: field, Own: own, Theirs: theirs}
	}
	if err := membership.CheckName("name of "+from.String(), h.Name); err != nil {
		return err
	}
	for _, o := range m.cfg.Members {
		if o.ID == from && o.Name != h.Name {
			return &DisagreementError{Peer: who, Field: "its name", Own: membership.Quoted(o.Name), Theirs: membership.Quoted(h.Name)}
		}
	}
	if h.Name == m.cfg.Name {
		return &DuplicateNameError{Name: h.Name, Peers: []string{m.cfg.Host.ID().String(), from.String()}}
	}
	for id, a := range m.records {
		if a.hello.Name == h.Name && id != from {
			return &DuplicateNameError{Name: h.Name, Peers: []string{id.String(), from.String()}}
		}
	}
	return nil
}

// withdraw records that a peer gives up joining.
func (m *registry) withdraw(from peer.ID, h wire.Hello) {
	if m.records[from] == nil {
		return
	}
	who, reason := membership.Describe(h.Name, from), membership.Printable(h.Leaving)
	if m.roster != nil {
		m.fail(&RosterError{Peer: who, Detail: "has given up after the roster was signed (" + reason + ")"})
		return
	}
	delete(m.records, from)
	m.cfg.Log.Warn("a member has given up joining", "name", h.Name, "peer", from, "reason", reason)
	m.report()
}

// latecomer logs a process that comes after the roster is complete. The answer gives that
// process the reason.
func (m *registry) latecomer(from peer.ID, h wire.Hello) {
	switch e, member := m.roster.Find(from); {
	case !member && m.belongs(from): // the answer shows it the run, and it will join
	case !member:
		m.warn("late "+from.String(), "a process is refused, since the run has begun without it", "peer", membership.Describe(h.Name, from))
	case e.Process != h.Process:
		m.warn(fmt.Sprintf("again %x", h.Process), "a member has restarted without its state of this run, and is refused", "name", e.Name, "peer", from)
	}
}

// fail ends the rendezvous.
func (m *registry) fail(err error) {
	if m.agreed || m.failure != nil {
		return
	}
	m.failure = err
	m.leaving = err.Error()
	close(m.failed)
}

// warn logs a message once per key. Strangers can make any number of keys, so their number is
// bounded.
func (m *registry) warn(key, msg string, args ...any) {
	if m.warned[key] || len(m.warned) > m.peersMost() {
		return
	}
	if m.warned[key] = true; len(m.warned) > m.peersMost() {
		msg, args = "too many processes say hello; the log names no more of them", nil
	}
	m.cfg.Log.Warn(msg, args...)
}

// peersMost bounds the entries that are kept for peers that may be strangers.
func (m *registry) peersMost() int { return 16*m.cfg.Size + 256 }

// announce makes all visits say hello at once.
func (m *registry) announce() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// locked calls f with the registry locked.
func (m *registry) locked(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

func (m *registry) news() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changed
}

// done reports whether nothing more is expected from a peer.
func (m *registry) done(id peer.ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.resumed != nil {
		return len(m.records) >= len(m.current.Load().Ranks)-1 // until then other members may find somebody
	}
	return m.roster != nil && m.records[id] != nil && m.records[id].signed == m.proposed
}

// report publishes the present and missing members. The registry is locked.
func (m *registry) report() {
	if m.cfg.OnPresence == nil {
		return
	}
	p := Presence{Want: m.cfg.Size, Present: m.present(), Missing: m.missing(), Unreached: m.apartNow}
	if m.current != nil || m.newcomer != nil { // changes may have altered the number of members
		p.Want = len(p.Present) + len(p.Missing)
	}
	m.cfg.OnPresence(p)
}
