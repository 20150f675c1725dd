package rendezvous

import (
	"github.com/libp2p/go-libp2p/core/peer"

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

// count notes what a member says, and returns how many members say so now.
func (m *registry) count(from peer.ID, word string) (n int) {
	m.claims[from] = word
	for _, w := range m.claims {
		if w == word {
			n++
		}
	}
	return n
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
	return "does not let this node in: its roster does not list the peer ID " + id.String()
}

// refused takes in that a peer does not let this process in. If a quorum of the
// members does not, no quorum is left to be in a run with. Without a list of members
// anybody may say so, and nobody is counted.
func (m *registry) refused(from peer.ID, h wire.Hello) {
	who, reason := membership.Describe(h.Name, from), membership.Printable(h.Refused)
	m.warn("refused "+from.String(), "a peer refuses this node, and is not believed alone", "peer", who, "reason", reason)
	listed := m.current != nil || len(m.cfg.Members) > 0
	if listed && m.count(from, saidNo) >= m.quorum() {
		m.fail(&StrangerError{Peer: who, Detail: reason})
	}
}
