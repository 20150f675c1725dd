package transport

import (
	"sync"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

// readers holds the one data stream per peer that is being read. The zero value is empty.
type readers struct {
	mu     sync.Mutex
	byPeer map[peer.ID]*reader
}

type reader struct {
	stream network.Stream
	done   chan struct{} // closed when reading has ended
}

// replace waits until the stream may be read. It resets the stream before it, which the sender
// has given up. The caller calls done when it has read all.
func (r *readers) replace(s network.Stream) (done func()) {
	id, next := s.Conn().RemotePeer(), &reader{stream: s, done: make(chan struct{})}
	r.mu.Lock()
	if r.byPeer == nil {
		r.byPeer = map[peer.ID]*reader{}
	}
	before := r.byPeer[id]
	r.byPeer[id] = next
	r.mu.Unlock()
	if before != nil {
		before.stream.Reset()
		<-before.done
	}
	return func() {
		r.mu.Lock()
		if r.byPeer[id] == next {
			delete(r.byPeer, id)
		}
		r.mu.Unlock()
		close(next.done)
	}
}
