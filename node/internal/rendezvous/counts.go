package rendezvous

import (
	"sync"

	"github.com/libp2p/go-libp2p/core/peer"
)

// counts holds the number of exchanges in progress per peer. The zero value is empty.
type counts struct {
	mu sync.Mutex
	of map[peer.ID]int
}

// enter adds one for a peer and returns true, unless the peer already has the given number.
func (c *counts) enter(id peer.ID, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[peer.ID]int{}
	}
	if c.of[id] >= most {
		return false
	}
	c.of[id]++
	return true
}

// size returns the number of peers with an exchange in progress.
func (c *counts) size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.of)
}

func (c *counts) leave(id peer.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[id]--; c.of[id] == 0 {
		delete(c.of, id)
	}
}
