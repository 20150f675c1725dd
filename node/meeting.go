package node

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
	"github.com/multiformats/go-multiaddr"

	"github.com/collabdict/collabdict/internal/store"
	"github.com/collabdict/collabdict/internal/wire"
)

// meeting is what a process knows of the others before the run, until all have
// signed one roster. Afterwards it answers latecomers.
type meeting struct {
	cfg        *Config
	agreement  Agreement
	consortium [32]byte
	process    [32]byte // this process, at random
	key        crypto.PrivKey
	host       host.Host
	store      *store.Store
	traffic    *traffic
	log        *slog.Logger

	mu        sync.Mutex
	sequence  uint64 // of the last hello
	met       map[peer.ID]*acquaintance
	proposed  [32]byte // the run of a full roster that the others have been told of
	roster    *roster  // once signed by this process
	signature []byte
	agreed    bool          // all have signed
	complete  chan struct{} // closed when all have signed
	failure   error
	failed    chan struct{} // closed with failure
	leaving   string
	changed   chan struct{} // closed and replaced when the others should hear of it
	warned    map[string]bool
	said      map[peer.ID]string   // what members last said of this process's part, if that is counted
	resuming  map[peer.ID][32]byte // runs that peers go on with, as they say
	resumed   *store.Journal       // of the run that this process goes on with, if it does
	roll      *roll                // of the run, once there is one
	newcomer  *newcomer            // if this process is to be added to a run
	came      map[peer.ID]bool     // newcomers that have begun
	onFound   func(from peer.ID, addrs []string)
	onReturn  func(from peer.ID, addrs []string)
}

// acquaintance is another process that has said hello, with the same agreement.
type acquaintance struct {
	hello  wire.Hello // its last
	signed [32]byte   // the run that it has signed up to, if any; the signature is valid
	away   bool       // it is reached no more since, and has not signed
}

// hello returns what this process tells a peer.
func (m *meeting) hello(to peer.ID) wire.Hello {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, resumes := m.resuming[to]; m.came[to] && !resumes {
		return wire.Hello{Process: m.process, Name: m.cfg.Name, Refused: otherFolder}
	}
	if !m.admits(to) {
		return wire.Hello{Process: m.process, Name: m.cfg.Name, Refused: m.refusal(to)}
	}
	m.sequence++
	h := wire.Hello{
		Sequence: m.sequence, Name: m.cfg.Name, Expect: uint32(m.cfg.size()), Process: m.process,
		Proposal: m.proposal().run(), Leaving: m.leaving, Signature: m.signature,
	}
	for _, f := range m.agreement {
		h.Agreement = append(h.Agreement, wire.Field(f))
	}
	for _, a := range m.host.Addrs() {
		h.Addrs = append(h.Addrs, a.String())
	}
	h.Addrs = h.Addrs[:min(len(h.Addrs), wire.MaxAddrs)]
	if m.roster != nil {
		h.Roster = m.roster.entries
	}
	if m.roll != nil {
		h.Amendments = m.roll.Load().amendments
	}
	if m.resumed != nil {
		h.Resume = m.resumed.ID
	}
	if run, resumes := m.resuming[to]; resumes && m.store.Over(run) != "" {
		h.Over = run
	}
	if _, resumes := m.resuming[to]; resumes || m.resumed != nil {
		h.Contacts = m.contacts(to)
	} else if a := m.met[to]; a == nil || a.hello.Proposal != h.Proposal {
		h.Contacts = m.contacts(to)
	}
	return h
}

// contacts introduces the others to a peer.
func (m *meeting) contacts(to peer.ID) (contacts []wire.Contact) {
	for id, a := range m.met {
		if id != to {
			contacts = append(contacts, wire.Contact{ID: []byte(id), Addrs: a.hello.Addrs})
		}
	}
	return contacts
}

// knows is admits where the meeting is not locked.
func (m *meeting) knows(id peer.ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.admits(id)
}

// admits says whether the roster, if it was agreed on beforehand, lists a peer. The
// meeting is locked.
func (m *meeting) admits(id peer.ID) bool {
	switch {
	case m.newcomer != nil:
		return m.newcomer.knows(id)
	case m.roll != nil && (m.resumed != nil || len(m.cfg.Members) > 0 || len(m.roll.Load().amendments) > 0):
		return m.roll.has(id)
	}
	return len(m.cfg.Members) == 0 || slices.ContainsFunc(m.cfg.Members, func(o Member) bool { return o.ID == id })
}

// learn takes in what a peer says. The peer is authenticated; all else is only
// what it claims, and nothing of it counts if it is a stranger. learn reports whether
// a member of the run has come back with it.
func (m *meeting) learn(from peer.ID, h wire.Hello) (again bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	who := describe(h.Name, from)
	if !m.admits(from) {
		m.warn("stranger "+from.String(), "a process that the roster does not list wants to join and is refused", "peer", who)
		return false
	}
	delete(m.resuming, from)
	if h.Resume != [32]byte{} {
		m.resuming[from] = h.Resume
	}
	delete(m.said, from)
	switch {
	case m.failure != nil:
	case m.resumed != nil:
		return m.compare(from, h)
	case m.newcomer != nil:
		if !m.agreed {
			m.newcomer.learn(m, from, h)
		}
	case m.agreed && h.Resume == m.proposed && m.belongs(from):
		a := m.met[from]
		if again = a == nil || a.hello.Process != h.Process; again {
			m.again(from, h)
		}
	case h.Resume != [32]byte{} && h.Refused == "":
		m.warn("other "+from.String(), "a member wants to go on with a run that this node is not in", "peer", who)
	case m.agreed || m.roster != nil && !m.belongs(from):
		m.latecomer(from, h)
	case h.Refused != "":
		m.refused(from, h)
	default:
		m.consider(from, h)
	}
	return again
}

// belongs says whether a peer is of the roster that this process has signed.
func (m *meeting) belongs(id peer.ID) bool {
	if m.roll != nil {
		return m.roll.has(id)
	}
	return m.roster.has(id)
}

// consider takes in what a possible member says. What the two cannot agree on
// ends the meeting at both, so it comes before what the peer makes of it.
func (m *meeting) consider(from peer.ID, h wire.Hello) {
	var signed [32]byte
	err := m.checkSame(from, h)
	if err == nil && h.Leaving != "" {
		m.part(from, h)
		return
	}
	if err == nil {
		err = m.checkRoom(from, h)
	}
	if err == nil {
		signed, err = m.checkRoster(from, h)
	}
	if err == nil {
		err = m.welcome(from, h, signed)
	}
	if err != nil {
		m.fail(err)
	}
}

// welcome notes a member and the run that it has signed up to, if any.
func (m *meeting) welcome(from peer.ID, h wire.Hello, signed [32]byte) error {
	a := m.met[from]
	if a != nil && a.hello.Process == h.Process && a.hello.Sequence > h.Sequence {
		return nil // overtaken by a later one
	}
	if a == nil {
		a = &acquaintance{}
		m.met[from] = a
		m.log.Info("met a member", "name", h.Name, "peer", from, "members", fmt.Sprintf("%d of %d", len(m.met)+1, m.cfg.size()))
		defer m.report()
	} else if a.away {
		a.away = false
		m.log.Info("a member is here again", "name", h.Name, "peer", from)
		defer m.report()
	} else if a.hello.Process != h.Process {
		m.log.Info("a member was started again", "name", h.Name, "peer", from)
	}
	a.hello, a.signed = h, signed
	m.host.Peerstore().AddAddrs(from, multiaddrs(h.Addrs), peerstore.PermanentAddrTTL)
	return m.subscribe()
}

// checkSame reports what two members cannot have different, or the same.
func (m *meeting) checkSame(from peer.ID, h wire.Hello) error {
	who := describe(h.Name, from)
	if field, own, theirs, differs := m.agreement.difference(h.Agreement); differs {
		return &DisagreementError{Peer: who, Field: printable(field), Own: own, Theirs: theirs}
	}
	if err := checkName("name of "+from.String(), h.Name); err != nil {
		return err
	}
	for _, o := range m.cfg.Members {
		if o.ID == from && o.Name != h.Name {
			return &DisagreementError{Peer: who, Field: "its name", Own: quoted(o.Name), Theirs: quoted(h.Name)}
		}
	}
	if h.Name == m.cfg.Name {
		return &DuplicateNameError{Name: h.Name, Peers: []string{m.host.ID().String(), from.String()}}
	}
	for id, a := range m.met {
		if a.hello.Name == h.Name && id != from {
			return &DuplicateNameError{Name: h.Name, Peers: []string{id.String(), from.String()}}
		}
	}
	return nil
}

// checkRoom reports a peer that there is no place for.
func (m *meeting) checkRoom(from peer.ID, h wire.Hello) error {
	a := m.met[from]
	if a == nil && len(m.met)+2 > m.cfg.size() {
		return &TooManyError{Want: m.cfg.size(), Found: append(m.known(), describe(h.Name, from))}
	}
	if a != nil && m.roster != nil && a.hello.Process != h.Process {
		return &RosterError{Peer: describe(h.Name, from), Detail: "was started again while the roster was being signed"}
	}
	return nil
}

// part notes that a peer gives up joining.
func (m *meeting) part(from peer.ID, h wire.Hello) {
	if m.met[from] == nil {
		return
	}
	who, reason := describe(h.Name, from), printable(h.Leaving)
	if m.roster != nil {
		m.fail(&RosterError{Peer: who, Detail: "has given up after the roster was signed (" + reason + ")"})
		return
	}
	delete(m.met, from)
	m.log.Warn("a member has given up joining", "name", h.Name, "peer", from, "reason", reason)
	m.report()
}

// latecomer notes who comes after the roster is complete. It hears of that in
// the answer; the run does not.
func (m *meeting) latecomer(from peer.ID, h wire.Hello) {
	switch e, member := m.roster.find(from); {
	case !member && m.belongs(from): // it is told of the run, and will come
	case !member:
		m.warn("late "+from.String(), "a process wants to join after the run has begun and is not let in", "peer", describe(h.Name, from))
	case e.Process != h.Process:
		m.warn(fmt.Sprintf("again %x", h.Process), "a member was started again without the state that it had in this run, and is not let in", "name", e.Name, "peer", from)
	}
}

// fail ends the meeting.
func (m *meeting) fail(err error) {
	if m.agreed || m.failure != nil {
		return
	}
	m.failure = err
	m.leaving = err.Error()
	close(m.failed)
}

// warn logs once for each key.
func (m *meeting) warn(key, msg string, args ...any) {
	if !m.warned[key] {
		m.warned[key] = true
		m.log.Warn(msg, args...)
	}
}

// announce makes the visitors tell their peers what is new.
func (m *meeting) announce() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// locked calls f with the meeting locked.
func (m *meeting) locked(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

func (m *meeting) news() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changed
}

// done says whether a peer has nothing to tell any more.
func (m *meeting) done(id peer.ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.resumed != nil {
		return len(m.met) >= len(m.roll.Load().ranks)-1 // until then others may find somebody
	}
	return m.roster != nil && m.met[id] != nil && m.met[id].signed == m.proposed
}

// describe names a peer for people.
func describe(name string, id peer.ID) string {
	if name == "" {
		return id.String()
	}
	return fmt.Sprintf("%s (%s)", printable(name), id)
}

func multiaddrs(texts []string) (addrs []multiaddr.Multiaddr) {
	for _, s := range texts {
		if a, err := multiaddr.NewMultiaddr(s); err == nil {
			addrs = append(addrs, a)
		}
	}
	return addrs
}
