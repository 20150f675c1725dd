package node

import (
	"context"
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// pulseMost bounds how long a member vouches for its own loop: one that hangs,
// as on a dead disk, is lost to the others in the end.
const pulseMost = 10 * time.Minute

// pulse sends Beats in the loop's place while that is busy for longer than the
// time between two: a step on a huge vector expands chunks and sums neighbours,
// and its writes are waited for. They say what the loop's last Beat said, and ask
// for nothing.
func (l *loop) pulse(ctx context.Context, beat time.Duration, publish func(consensus.Message)) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.stopped:
			return
		case <-ticker.C:
		}
		since, last := l.busy.Load(), l.lastBeat.Load()
		if busy := time.Since(l.start) - time.Duration(since); last == nil || since == idle || busy < beat || busy > pulseMost {
			continue
		}
		b := *last.Body.(*consensus.Heartbeat)
		b.Ask, b.Waiting, b.Stuck = 0, nil, false
		if b.State < consensus.Finished {
			publish(consensus.Message{Slot: last.Slot, Ballot: last.Ballot, Body: &b})
		}
	}
}

// idle says that the loop does nothing.
const idle = -1

// work calls f and lets pulse know.
func (l *loop) work(f func()) {
	l.busy.Store(int64(time.Since(l.start)))
	f()
	l.busy.Store(idle)
}
