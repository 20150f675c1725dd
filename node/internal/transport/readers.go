package transport

import (
	"sync"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

// readers holds the one data stream per peer that is being read. The zero value is empty.
type readers struct {
	mu sync.Mutex
	of map[peer.ID]*reader
}

type reader struct {
	stream network.Stream
	done   chan struct{} // closed when reading has ended
}

// replace waits until the stream may be read. It resets the stream before it, which the sender
// has given up. The caller calls done when it has read all.
func (r *readers) replace(s network.Stream) (done func()) {
	id, own := s.Conn().RemotePeer(), &reader{stream: s, done: make(chan struct{})}
	r.mu.Lock()
	if r.of == nil {
		r.of = map[peer.ID]*reader{}
	}
	before := r.of[id]
	r.of[id] = own
	r.mu.Unlock()
	if before != nil {
		before.stream.Reset()
		<-before.done
	}
	return func() {
		r.mu.Lock()
		if r.of[id] == own {
			delete(r.of, id)
		}
		r.mu.Unlock()
		close(own.done)
	}
}
