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
// and its writes are waited for. They say where the loop stood when the work began,
// and ask for nothing.
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
		since := l.busy.Load()
		if busy := time.Since(l.start) - time.Duration(since); since == idle || busy < beat || busy > pulseMost {
			continue
		}
		if s := l.status.Load().machine; s.State < consensus.Finished {
			publish(consensus.Message{Slot: s.Slot, Body: &consensus.Beat{State: s.State, Iteration: uint32(s.Iteration)}})
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
