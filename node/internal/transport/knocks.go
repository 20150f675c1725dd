package transport

import (
	"slices"
	"sync"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/x/rate"
)

// Strangers may have a few connections at a time, for a few seconds each, so that a
// misconfigured process learns why it is refused.
const (
	knocksMost      = 8
	knocksPerSecond = 4
	knockStreams    = 8 // streams that one stranger may open: a hello or two, and those of libp2p's identification
)

// knocks holds the connections of strangers.
type knocks struct {
	rate rate.Limiter
	mu   sync.Mutex
	open []*knock
}

// A knock is a stranger's connection.
type knock struct {
	network.Conn
	streams int // opened so far
}

func newKnocks() *knocks {
	return &knocks{rate: rate.Limiter{GlobalLimit: rate.Limit{RPS: knocksPerSecond, Burst: knocksMost}}}
}

// room reports whether there is room for one more.
func (k *knocks) room() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open = slices.DeleteFunc(k.open, func(o *knock) bool { return o.IsClosed() })
	return len(k.open) < knocksMost
}

// enter records a connection, and reports whether there was room for it.
func (k *knocks) enter(c network.Conn) bool {
	if !k.room() {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open = append(k.open, &knock{Conn: c})
	return true
}

// stream counts a stranger's new stream, and disconnects a stranger that opens too many.
func (k *knocks) stream(id peer.ID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, o := range k.open {
		if o.RemotePeer() != id {
			continue
		}
		if o.streams++; o.streams == knockStreams+1 {
			go o.Close()
		}
	}
}
