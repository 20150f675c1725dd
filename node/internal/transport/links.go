package transport

import (
	"bytes"
	"slices"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

// A Link is this host's connection to a member.
type Link struct {
	ID       peer.ID
	Accepted bool    // the member has dialled, so it can reach this host
	Via      peer.ID // the member that relays the connection; "" if it is direct
}

// Links returns the most direct connection to each connected member, ordered by ID.
func (h *Host) Links() []Link {
	best := map[peer.ID]Link{}
	for _, c := range h.Network().Conns() {
		id := c.RemotePeer()
		if !h.Admission.listed(id) {
			continue
		}
		l := Link{ID: id, Via: relayOf(c.RemoteMultiaddr())}
		l.Accepted = l.Via == "" && c.Stat().Direction == network.DirInbound
		if old, more := best[id]; more && old.Via == "" {
			if l.Via != "" {
				continue
			}
			l.Accepted = l.Accepted || old.Accepted
		}
		best[id] = l
	}
	links := make([]Link, 0, len(best))
	for _, l := range best {
		links = append(links, l)
	}
	slices.SortFunc(links, func(a, b Link) int { return bytes.Compare([]byte(a.ID), []byte(b.ID)) })
	return links
}

// Relays reports whether this host relays connections.
func (h *Host) Relays() bool { return h.relays != nil && h.relays.relay != nil }

// direct reports whether a peer has a connection that is not relayed.
func direct(n network.Network, id peer.ID) bool {
	return slices.ContainsFunc(n.ConnsToPeer(id), func(c network.Conn) bool { return !relayed(c.RemoteMultiaddr()) })
}
