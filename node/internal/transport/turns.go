package transport

import (
	"sync/atomic"
	"time"
)

// Bounds of the time that a peer may take for a large message, since the large messages of other
// peers wait for it. A link of 1 Mbit/s carries twice the least rate, and 8 MiB in a turn.
const (
	turnGrace = 10 * time.Second
	leastRate = 64 << 10         // bytes per second
	turnMost  = 90 * time.Second // if others wait
)

// turns let one large message at a time be read.
type turns struct {
	free    chan struct{} // of capacity 1; full while a message is read
	waiting *atomic.Int32
}

func newTurns() turns { return turns{make(chan struct{}, 1), new(atomic.Int32)} }

// take waits for a turn. Those that wait get theirs in the order in which they came. The message
// has the given number of bytes so far.
func (t turns) take(bytes int) *turn {
	t.waiting.Add(1)
	t.free <- struct{}{}
	t.waiting.Add(-1)
	return &turn{time.Now(), bytes}
}

// pass ends the present turn.
func (t turns) pass() { <-t.free }

// wanted reports whether others wait.
func (t turns) wanted() bool { return t.waiting.Load() > 0 }

// A turn is the time in which a peer may send a large message.
type turn struct {
	began time.Time
	bytes int // of the message at the beginning
}

// end returns the time by which the message must have the given number of bytes.
func (t *turn) end(bytes int, wanted bool) time.Time {
	most := turnGrace + time.Duration(bytes-t.bytes)*time.Second/leastRate
	if wanted {
		most = min(most, turnMost)
	}
	return t.began.Add(most)
}
