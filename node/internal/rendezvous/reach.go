package rendezvous

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// An Unreached is a pair of members that are both connected to some member and do not reach
// each other. A run cannot begin until they do.
type Unreached struct {
	A      string `json:"a"`      // one member
	B      string `json:"b"`      // the other
	Reason string `json:"reason"` // why they do not reach each other
	Advice string `json:"advice"` // what to do
}

// linksMost is the largest run in which hellos list the sender's connections.
const linksMost = 128

// reachAfter is how long two members must be present before a missing connection between them
// is reported. Connecting takes several round trips, and more through a relay.
const reachAfter = 6 * time.Second

// links returns this process's connections, for its hello.
func (m *registry) links() (links []wire.Link) {
	if m.cfg.Size > linksMost {
		return nil
	}
	for _, l := range m.cfg.Host.Links() {
		links = append(links, wire.Link{ID: []byte(l.ID), Accepted: l.Accepted, Via: []byte(l.Via)})
	}
	return links
}

// A reach is the graph of connections between members, as known from their hellos.
type reach struct {
	names    map[peer.ID]string // members that are present
	linked   map[[2]peer.ID]bool
	accepts  map[peer.ID]bool // members that another has dialled directly
	relaying map[peer.ID]bool
}

func newReach() *reach {
	return &reach{names: map[peer.ID]string{}, linked: map[[2]peer.ID]bool{}, accepts: map[peer.ID]bool{}, relaying: map[peer.ID]bool{}}
}

// add records a member's connections. It ignores members for which the function name returns
// "".
func (r *reach) add(id peer.ID, links []wire.Link, relays bool, name func(peer.ID) string) {
	r.names[id] = name(id)
	r.relaying[id] = relays
	for _, l := range links {
		other := peer.ID(l.ID)
		if name(other) == "" {
			continue
		}
		r.names[other] = name(other)
		r.linked[[2]peer.ID{id, other}], r.linked[[2]peer.ID{other, id}] = true, true
		if len(l.Via) > 0 {
			continue
		}
		if l.Accepted {
			r.accepts[id] = true
		} else {
			r.accepts[other] = true
		}
	}
}

// unreached returns the pairs that do not reach each other, ordered by name.
func (r *reach) unreached() (pairs []Unreached) {
	var ids []peer.ID
	for id := range r.names {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b peer.ID) int { return cmp.Or(cmp.Compare(r.names[a], r.names[b]), cmp.Compare(a, b)) })
	for i, a := range ids {
		for _, b := range ids[i+1:] {
			if !r.linked[[2]peer.ID{a, b}] {
				u := Unreached{A: r.names[a], B: r.names[b]}
				u.Reason, u.Advice = r.why(a, b)
				pairs = append(pairs, u)
			}
		}
	}
	return pairs
}

// why returns the reason why two members do not reach each other, and what to do.
func (r *reach) why(a, b peer.ID) (reason, advice string) {
	relay := r.relay()
	reaches := func(id peer.ID) bool { return id == relay || r.linked[[2]peer.ID{id, relay}] }
	const enable = "set relay: true in the node.yaml of a member that all others reach"
	switch {
	case relay != "" && !(reaches(a) && reaches(b)):
		lacks := a
		if reaches(a) {
			lacks = b
		}
		return r.names[relay] + " relays, but " + r.names[lacks] + " does not reach it", "check the firewalls between the two; if this lasts, the log of " + r.names[lacks] + " says why"
	case relay != "":
		return r.names[relay] + " relays, but has not connected the two yet", "wait; if this lasts, their logs say why"
	case !r.accepts[a] && !r.accepts[b]:
		return "nobody reaches either of them directly (NAT or firewall), and no member relays", enable + ", or open a port at one of them"
	case !r.accepts[a] || !r.accepts[b]:
		open, shut := a, b
		if !r.accepts[a] {
			open, shut = b, a
		}
		return r.names[shut] + " cannot be reached from outside and cannot connect to " + r.names[open] + ", and no member relays",
			"check that " + r.names[shut] + " may connect to the ports of " + r.names[open] + ", or " + enable
	}
	return "a firewall is between them or an address is wrong, and no member relays", "check the addresses of both, or " + enable
}

// relay returns a member that relays, or "" if there is none.
func (r *reach) relay() (found peer.ID) {
	for id, relays := range r.relaying {
		if relays && (found == "" || r.names[id] < r.names[found]) {
			found = id
		}
	}
	return found
}

// unreached returns the pairs of present members that do not reach each other. The registry is
// locked.
func (m *registry) unreached(now time.Time) []Unreached {
	if m.cfg.Size > linksMost || !m.listed() {
		return nil
	}
	r, own := newReach(), m.cfg.Host.ID()
	r.add(own, m.links(), m.cfg.Host.Relays(), m.nameHere)
	for id, a := range m.records {
		if !a.unreachable {
			r.add(id, a.hello.Links, a.hello.Relays, m.nameHere)
		}
	}
	here := map[peer.ID]time.Time{}
	for id := range r.names { // members that have just appeared may still be connecting
		since, before := m.here[id]
		if !before {
			since = now
		}
		if here[id] = since; now.Sub(since) < reachAfter {
			delete(r.names, id)
		}
	}
	m.here = here
	return r.unreached()
}

// nameHere returns the name of a member or of this process.
func (m *registry) nameHere(id peer.ID) string {
	if id == m.cfg.Host.ID() {
		return m.cfg.Name
	}
	return m.nameOf(id)
}

// lookEvery is the time between two calls of look.
const lookEvery = 2 * time.Second

// look logs the pairs of members that do not reach each other, if they have changed.
func (m *registry) look(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.unreached(now)
	if slices.Equal(found, m.apartNow) {
		return
	}
	m.apartNow = found
	for _, u := range found {
		m.cfg.Log.Info("two members do not reach each other", "members", u.A+" and "+u.B, "reason", u.Reason, "advice", u.Advice)
	}
	m.report()
}

// gossiped saves the addresses that a member gives for others, for the next dial.
func (r *Rendezvous) gossiped(contacts []wire.Contact) {
	for _, c := range contacts {
		id, err := peer.IDFromBytes(c.ID)
		if err != nil || !r.knows(id) || id == r.cfg.Host.ID() || r.cfg.Host.Network().Connectedness(id) == network.Connected {
			continue
		}
		r.cfg.Host.Peerstore().AddAddrs(id, membership.Multiaddrs(c.Addrs), visitVain*(helloTimeout+visitMost))
	}
}

// addrsOf returns the addresses of a member: the given ones, from its last hello, and the
// present ones if it is connected.
func (m *registry) addrsOf(id peer.ID, last []string) []string {
	if m.cfg.Host.Network().Connectedness(id) != network.Connected {
		return last
	}
	addrs := slices.Clone(last)
	for _, a := range m.cfg.Host.Peerstore().Addrs(id) {
		if text := a.String(); !slices.Contains(addrs, text) && !strings.Contains(text, "/p2p-circuit") && len(addrs) < wire.MaxAddrs {
			addrs = append(addrs, text)
		}
	}
	return addrs
}
