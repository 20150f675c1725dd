package node

import (
	"context"
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// vouchMost bounds how long vouch sends heartbeats for a busy loop. If the loop hangs, as on a
// failed disk, the member is lost to the others in the end.
const vouchMost = 10 * time.Minute

// vouch sends heartbeats while the loop is busy for longer than the time between two. That
// happens when a step on a huge vector expands chunks and sums the neighbours' vectors, and
// when the loop waits for its writes. These heartbeats repeat the loop's last one, and ask for
// nothing.
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

// idle is the value of loop.busy while the loop waits.
const idle = -1

// markBusy marks the loop as busy for vouch, from now on.
func (l *loop) markBusy() { l.busy.Store(int64(time.Since(l.start))) }
