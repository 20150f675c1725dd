package rendezvous

import (
	"fmt"
	"maps"
	"slices"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// No member alone can begin or end another member's part in a run. One member's statement is
// only a warning, since the member may be mistaken or lie. It counts when enough members say
// the same, each directly to this process. Strangers do not count.
//
// None of these statements is signed, because none is passed on: the connection proves the
// sender, the receiver and the time.

// Statements that are counted, besides the run that members show to a newcomer.
const (
	saidNo   = "no"   // there is no run that both can be in
	saidOver = "over" // the run to resume is over
)

// overLeast is the number of members that must say that a run is over. It is less than a
// quorum, since members that have ended the run may be gone.
const overLeast = 2

// A claim is a peer's statement: either about a run that a newcomer may join, or why the peer
// and this process cannot be in one run.
type claim struct {
	word string // equal words are counted together; "" is not counted
	why  error
	told string // the reason sent to a refused peer, if it cannot find the reason itself
}

// count records a peer's claim, and returns the number of peers with the same claim now.
func (m *registry) count(from peer.ID, c claim) (n int) {
	if len(m.claims) < m.peersMost() {
		m.claims[from] = c
	}
	if c.word == "" {
		return 0
	}
	for _, o := range m.claims {
		if o.word == c.word {
			n++
		}
	}
	return n
}

// object records that a peer, as it is now, cannot be in the run that this process wants to
// begin. The peer is sent the reason, and counts as missing: it may be restarted with the right
// settings.
func (m *registry) object(from peer.ID, h wire.Hello, err error) {
	switch {
	case m.agreed || m.failure != nil:
		return
	case m.roster != nil: // the roster is signed, so nobody can take its place
		m.fail(err)
		return
	}
	if m.records[from] != nil {
		delete(m.records, from)
		m.report()
	}
	m.warn(fmt.Sprintf("apart %s %x", from, h.Process), "a process cannot join the run with its present settings", "peer", membership.Describe(h.Name, from), "reason", err)
	if m.count(from, m.apartFrom(h, err)) >= m.enough() {
		m.fail(err)
	}
}

// apartFrom returns the claim of a peer that cannot be in the run. Without a list of members,
// only peers that could form a run with each other are counted together.
func (m *registry) apartFrom(h wire.Hello, why error) claim {
	c := claim{word: saidNo, why: why}
	if !m.listed() {
		agreed := make(membership.Agreement, len(h.Agreement))
		for i, f := range h.Agreement {
			agreed[i] = membership.Field(f)
		}
		c.word = fmt.Sprintf("%s %x %x", saidNo, agreed.ID(), membership.NewRoster(m.consortium, h.Roster).Run())
	}
	switch why.(type) {
	case *TooManyError, *DuplicateNameError:
		c.told = "does not let this node in: " + why.Error()
		c.word = "" // the fault is not this process's
	}
	return c
}

// listed reports whether the members are known before the run.
func (m *registry) listed() bool { return m.current != nil || len(m.cfg.Members) > 0 }

// enough returns the number of peers with equal claims that end the start of this process. With
// a list of members it is a quorum of them. Without one anybody may be a peer, and it is the
// number of peers that could take all other places; nothing can prevent that. One peer is never
// enough.
func (m *registry) enough() int {
	switch {
	case m.current != nil:
		return m.quorum()
	case m.listed():
		return max(2, min(m.quorum(), m.cfg.Size-1))
	}
	return max(2, m.cfg.Size-1)
}

// apart returns the reason why a peer and this process cannot be in one run, or nil if there is
// no such peer.
func (m *registry) apart() error {
	for _, id := range slices.Sorted(maps.Keys(m.claims)) {
		if why := m.claims[id].why; why != nil {
			return why
		}
	}
	return nil
}

// quorum returns the number of members that decide the run that this process resumes or wants
// to begin.
func (m *registry) quorum() int {
	if m.current != nil {
		return m.current.Load().Quorum()
	}
	return m.cfg.Settings.Rules(m.cfg.Size).Quorum
}

// OtherFolder is the reason sent to a newcomer whose peer ID has taken part in the run, and which does
// not say that it resumes the run. It must not promise or vote again.
const OtherFolder = "does not let this node in: its key has taken part in the run already, and this process does not resume it: use the folder with its state, or a new key"

// WasRemoved is the reason sent to a removed member.
const WasRemoved = "does not let this node in: a change of the roster has removed it"

// refusal returns the reason why a peer is not admitted.
func (m *registry) refusal(id peer.ID) string {
	if m.current != nil {
		all := m.current.Load()
		for rank := range all.Removed {
			if all.All[rank].ID == id {
				return WasRemoved
			}
		}
	}
	return notListed(id)
}

// notListed returns the reason sent to a peer that the run does not list.
func notListed(id peer.ID) string {
	return "does not let this node in: its roster does not list the peer ID " + id.String()
}

// removed records that a member of the current run says that this process is removed.
func (m *registry) removed(from peer.ID) {
	if m.belongs(from) && m.count(from, claim{word: saidNo}) >= m.quorum() && m.events.Removed != nil {
		m.events.Removed()
	}
}

// removal returns the error of a process that the members have removed while it was away.
func (m *registry) removal() error {
	return &consensus.RemovedError{Revision: m.current.Load().Params.Revision + 1}
}

// refused records that a peer does not admit this process. If a quorum of the members refuses,
// no quorum is left to form a run with. Without a list of members, only refusals for good
// count, and only if all peers have proven the secret: then too nobody else is left. Without a
// secret anybody may refuse, so no refusal counts.
func (m *registry) refused(from peer.ID, h wire.Hello) {
	who, reason := membership.Describe(h.Name, from), membership.Printable(h.Refused)
	m.warn("refused "+from.String(), "a peer refuses this node; one refusal alone is ignored", "peer", who, "reason", reason)
	var err error = &StrangerError{Peer: who, Detail: reason}
	if m.resumed != nil && h.Refused == WasRemoved {
		err = m.removal()
	}
	c := claim{word: saidNo, why: err}
	if forGood := h.Refused == notListed(m.cfg.Host.ID()) || h.Refused == WasRemoved || h.Refused == OtherFolder; !m.listed() && !(m.cfg.Proven && forGood) {
		c.word = ""
	}
	if m.count(from, c) >= m.enough() {
		m.fail(err)
	}
}
