package transport

import (
	"sync"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

// readers holds the data stream that is read of each peer: one at a time. The
// zero value holds none.
type readers struct {
	mu sync.Mutex
	of map[peer.ID]*reader
}

type reader struct {
	stream network.Stream
	done   chan struct{} // closed when it is not read any more
}

// replace returns when the stream may be read. The one before it, which its sender
// has given up, is reset. The caller says when it has read all.
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
