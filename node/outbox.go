package node

import (
	"context"
	"sync"
	"time"
)

// outboxMost bounds the messages that wait for one receiver. What is dropped
// beyond that is sent again when the receiver's Beats ask for it.
const outboxMost = 1 << 12

// parcel is an encoded message. Encoding is left to the first outbox that sends
// it, and done once for all its receivers.
type parcel func() []byte

// outbox is the queue of messages to one receiver.
type outbox struct {
	mu     sync.Mutex
	queue  []parcel
	closed bool          // nothing more will be put in
	wake   chan struct{} // of capacity 1
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

// put adds a message. It never blocks.
func (o *outbox) put(p parcel) {
	o.mu.Lock()
	if !o.closed && len(o.queue) < outboxMost {
		o.queue = append(o.queue, p)
	}
	o.mu.Unlock()
	o.poke()
}

// close says that nothing more will be put in.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.poke()
}

func (o *outbox) poke() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// take waits for messages and returns all there are; none once the outbox is
// closed and empty, or ctx has ended.
func (o *outbox) take(ctx context.Context) []parcel {
	for {
		o.mu.Lock()
		batch, closed := o.queue, o.closed
		o.queue = nil
		o.mu.Unlock()
		if len(batch) > 0 || closed {
			return batch
		}
		select {
		case <-o.wake:
		case <-ctx.Done():
			return nil
		}
	}
}

// drain hands all messages to send, again and again until it succeeds, in
// batches that are sent whole. It returns when the outbox is closed and empty,
// or ctx has ended.
func (o *outbox) drain(ctx context.Context, send func(context.Context, []parcel) error) {
	const first, most = 50 * time.Millisecond, 2 * time.Second
	for {
		batch := o.take(ctx)
		if batch == nil {
			return
		}
		for wait := first; send(ctx, batch) != nil; wait = min(2*wait, most) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
		}
	}
}
