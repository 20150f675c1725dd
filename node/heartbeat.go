package node

import (
	"context"
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// vouchMost bounds how long a member vouches for its own loop: one that hangs,
// as on a dead disk, is lost to the others in the end.
const vouchMost = 10 * time.Minute

// vouch sends heartbeats in the loop's place while that is busy for longer than the
// time between two: a step on a huge vector expands chunks and sums neighbours,
// and its writes are waited for. They say what the loop's last heartbeat said, and ask
// for nothing.
func (l *loop) vouch(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.inbox.stopped:
			return
		case <-ticker.C:
		}
		since, last := l.busy.Load(), l.lastHeartbeat.Load()
		if busy := time.Since(l.start) - time.Duration(since); last == nil || since == idle || busy < every || busy > vouchMost {
			continue
		}
		b := *last.Body.(*consensus.Heartbeat)
		b.Ask, b.Waiting, b.Stuck = 0, nil, false
		if b.State < consensus.Finished {
			l.network.Publish(consensus.Message{Slot: last.Slot, Ballot: last.Ballot, Body: &b})
		}
	}
}

// idle means that the loop does nothing.
const idle = -1

// work calls f and lets vouch know.
func (l *loop) work(f func()) {
	l.busy.Store(int64(time.Since(l.start)))
	f()
	l.busy.Store(idle)
}
