package rendezvous

import (
	"sync"

	"github.com/libp2p/go-libp2p/core/peer"
)

// counts says how much is under way for each peer. The zero value is none.
type counts struct {
	mu sync.Mutex
	of map[peer.ID]int
}

// enter counts one more unless there are most already, and reports whether it did.
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

// size returns for how many peers anything is under way.
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
