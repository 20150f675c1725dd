package transport

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

// blame logs each member that sends what no member should send, once per member.
type blame struct {
	peers *directory
	log   *slog.Logger
	mu    sync.Mutex
	named map[peer.ID]bool
}

func (b *blame) on(id peer.ID, err error) {
	p := b.peers.Load()
	rank, member := p.ranks[id]
	if !member {
		return
	}
	b.mu.Lock()
	before := b.named[id]
	if b.named == nil {
		b.named = map[peer.ID]bool{}
	}
	b.named[id] = true
	b.mu.Unlock()
	if !before {
		b.log.Warn("cannot read a message of a member; this is logged once", "name", p.names[rank], "peer", id, "error", err)
	}
}

// Each member may send this much on the control plane: its own messages and those that it
// forwards. A bound is needed since gossipsub keeps messages for a few seconds. Messages above
// the bound are dropped; heartbeats make up for them.
const (
	shareBurst     = 8 << 20
	sharePerSecond = 4 << 20
)

var errShare = errors.New("more bytes on the control plane than a member's share")

// shares bounds the bytes that each peer sends on the control plane.
type shares struct {
	mu     sync.Mutex
	byPeer map[peer.ID]*share
	tell   func(peer.ID, error) // called with a peer that sends more than its share, once there is a run
}

// A share is the number of bytes that a peer had left at some time.
type share struct {
	left float64
	last time.Time
}

func newShares() *shares { return &shares{byPeer: map[peer.ID]*share{}, tell: func(peer.ID, error) {}} }

// take subtracts bytes from a peer's share, or returns an error if it has fewer left.
func (s *shares) take(now time.Time, id peer.ID, bytes int) error {
	tell, ok := s.takes(now, id, float64(bytes))
	if ok {
		return nil
	}
	tell(id, errShare)
	return errShare
}

func (s *shares) takes(now time.Time, id peer.ID, bytes float64) (tell func(peer.ID, error), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.byPeer[id]
	if o == nil {
		s.forget(now)
		o = &share{left: shareBurst}
		s.byPeer[id] = o
	}
	o.left, o.last = o.grown(now), now
	if ok = o.left >= bytes; ok {
		o.left -= bytes
	}
	return s.tell, ok
}

func (o *share) grown(now time.Time) float64 {
	return min(shareBurst, o.left+sharePerSecond*now.Sub(o.last).Seconds())
}

// forget deletes the peers that have their whole share, since a new peer starts with that.
func (s *shares) forget(now time.Time) {
	for id, o := range s.byPeer {
		if o.grown(now) == shareBurst {
			delete(s.byPeer, id)
		}
	}
}

// begin sets the function that is called with each peer that sends more than its share.
func (s *shares) begin(tell func(peer.ID, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell = tell
}
