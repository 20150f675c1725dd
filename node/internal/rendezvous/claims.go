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

// Nobody ends or begins another member's part in a run alone. What one member says
// of it is a warning: the member may be mistaken, or lie. It counts when enough
// members say the same, each to this process itself. Strangers do not count.
//
// Nothing of this is signed, since nothing of it is passed on: the connection proves
// the sender, the receiver and the time.

// What members say that is counted, beside the run that a newcomer is shown.
const (
	saidNo   = "no"   // there is no run that both can be in
	saidOver = "over" // the run to go on with is over
)

// overLeast is how many members must say that a run is over. It is less than a quorum,
// since members that have ended a run may be gone.
const overLeast = 2

// claim is what keeps a peer and this process out of one run, or what it says of the run,
// as far as that is counted.
type claim struct {
	word string // those with the same word are counted together; "" is not counted
	why  error
	told string // why the peer is refused, if its own eyes do not tell it
}

// count notes what a peer says, and returns how many say so now.
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

// object takes in that a peer, as it is now, cannot be in the run that this process wants
// to begin. It is told why, and is waited for as one that is missing: it may be started
// again with what it should have.
func (m *registry) object(from peer.ID, h wire.Hello, err error) {
	switch {
	case m.agreed || m.failure != nil:
		return
	case m.roster != nil: // nobody can take its place any more
		m.fail(err)
		return
	}
	if m.records[from] != nil {
		m.drop(from)
		m.report()
	}
	m.warn(fmt.Sprintf("apart %s %x", from, h.Process), "a process cannot be in the run as it is", "peer", membership.Describe(h.Name, from), "reason", err)
	if m.count(from, m.apartFrom(h, err)) >= m.enough() {
		m.fail(err)
	}
}

// apartFrom returns what is counted of a peer that cannot be in the run. Without a list
// only those are counted together that could be in one run with each other.
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
		c.word = "" // it is not this process that is wrong
	}
	return c
}

// listed reports whether it is known beforehand who the members are.
func (m *registry) listed() bool { return m.current != nil || len(m.cfg.Members) > 0 }

// enough returns how many peers end the start of this process by what keeps them apart.
// With a list they are a quorum of it. Without one anybody may be a peer: they are as many
// as could take all other places, which nothing helps against. One peer is never enough.
func (m *registry) enough() int {
	switch {
	case m.current != nil:
		return m.quorum()
	case m.listed():
		return max(2, min(m.quorum(), m.cfg.Size-1))
	}
	return max(2, m.cfg.Size-1)
}

// apart returns what keeps one of the peers and this process apart, nil if nothing does.
func (m *registry) apart() error {
	for _, id := range slices.Sorted(maps.Keys(m.claims)) {
		if why := m.claims[id].why; why != nil {
			return why
		}
	}
	return nil
}

// quorum returns how many members decide the run that this process resumes or
// wants to begin.
func (m *registry) quorum() int {
	if m.current != nil {
		return m.current.Load().Quorum()
	}
	return m.cfg.Settings.Rules(m.cfg.Size).Quorum
}

// OtherFolder is the reason for a newcomer that has lost what it had promised and voted
// for: it must not do either again.
const OtherFolder = "does not let this node in: it has been in the run already, with another folder, whose state it needs"

// WasRemoved is the reason for a removed member.
const WasRemoved = "does not let this node in: a change of the roster has removed it"

// refusal returns why a peer is not let in.
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

// notListed is the reason for a peer that the run is without.
func notListed(id peer.ID) string {
	return "does not let this node in: its roster does not list the peer ID " + id.String()
}

// removed takes in that a member of the run under way has this process removed.
func (m *registry) removed(from peer.ID) {
	if m.belongs(from) && m.count(from, claim{word: saidNo}) >= m.quorum() && m.events.Removed != nil {
		m.events.Removed()
	}
}

// removal returns the error of a process that the members have removed while it was away.
func (m *registry) removal() error {
	return &consensus.RemovedError{Revision: m.current.Load().Params.Revision + 1}
}

// refused takes in that a peer does not let this process in. If a quorum of the
// members does not, no quorum is left to be in a run with. Without a list of members
// those count that have the secret, if they refuse it for good: then no others are left
// either. Without a secret anybody may say so, and nobody who does is counted.
func (m *registry) refused(from peer.ID, h wire.Hello) {
	who, reason := membership.Describe(h.Name, from), membership.Printable(h.Refused)
	m.warn("refused "+from.String(), "a peer refuses this node, and is not believed alone", "peer", who, "reason", reason)
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
