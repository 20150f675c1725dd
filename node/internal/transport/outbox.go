package transport

import (
	"context"
	"reflect"
	"sync"
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// outboxMost bounds the messages that wait for one receiver. A message that is dropped is sent
// again when the receiver's heartbeats ask for it.
const outboxMost = 1 << 12

// An outbox is the queue of messages to one receiver. Messages are encoded only when they are
// written. So the queue takes little memory beyond the vectors that the machine holds anyway.
type outbox struct {
	mu     sync.Mutex
	queue  []consensus.Message
	held   map[Label]bool // messages of putOnce that wait or are being sent
	closed bool           // no more messages will be put in
	wake   chan struct{}  // of capacity 1
}

// A Label distinguishes a member's messages to another one. A message that is sent again has
// the same label.
type Label struct {
	slot   uint64
	ballot uint32
	body   reflect.Type
	number uint64 // number of the frame or state, or of entries, if the body has one
}

// LabelOf returns the label of a message.
func LabelOf(m consensus.Message) Label {
	l := Label{slot: m.Slot, ballot: m.Ballot, body: reflect.TypeOf(m.Body)}
	switch b := m.Body.(type) {
	case *consensus.Step:
		l.number = uint64(b.Lane)<<48 | uint64(b.Round)<<24 | uint64(b.Part)
	case *consensus.Heartbeat:
		l.number = uint64(b.State)<<32 | uint64(b.Ask)
	case *consensus.Pads:
		l.number = uint64(len(b.Pads))
	case *consensus.Shares:
		l.number = uint64(len(b.Shares))
	case *consensus.Reopen:
		l.number = uint64(b.Epoch)
	}
	return l
}

func newOutbox() *outbox { return &outbox{held: map[Label]bool{}, wake: make(chan struct{}, 1)} }

// put adds a message. It never blocks.
func (o *outbox) put(m consensus.Message) {
	o.mu.Lock()
	o.add(m)
	o.mu.Unlock()
	o.poke()
}

// putOnce adds a message unless an equal one waits or is being sent. A receiver behind a slow
// link asks again for messages that are already on a reliable stream.
func (o *outbox) putOnce(m consensus.Message) {
	o.mu.Lock()
	if l := LabelOf(m); !o.held[l] && o.add(m) {
		o.held[l] = true
	}
	o.mu.Unlock()
	o.poke()
}

// holds reports whether a message of putOnce is not sent yet.
func (o *outbox) holds(m consensus.Message) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.held[LabelOf(m)]
}

func (o *outbox) add(m consensus.Message) bool {
	if o.closed || len(o.queue) >= outboxMost {
		return false
	}
	o.queue = append(o.queue, m)
	return true
}

// clear drops the waiting messages, which were meant for an earlier process of the receiver.
func (o *outbox) clear() {
	o.mu.Lock()
	for _, m := range o.queue {
		delete(o.held, LabelOf(m))
	}
	o.queue = nil
	o.mu.Unlock()
}

// release records that messages have been sent.
func (o *outbox) release(batch []consensus.Message) {
	o.mu.Lock()
	for _, m := range batch {
		delete(o.held, LabelOf(m))
	}
	o.mu.Unlock()
}

// close makes the outbox refuse further messages.
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

// take waits for messages and returns all that are queued. It returns none if the outbox is
// closed and empty, or if ctx has ended.
func (o *outbox) take(ctx context.Context) []consensus.Message {
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

// drain passes the messages to send in whole batches, and repeats a batch until send succeeds.
// It returns when the outbox is closed and empty, or when ctx has ended.
func (o *outbox) drain(ctx context.Context, send func(context.Context, []consensus.Message) error) {
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
		o.release(batch)
	}
}
