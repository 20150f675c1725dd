package transport

import (
	"context"
	"reflect"
	"sync"
	"time"

	"github.com/collabdict/collabdict/consensus"
)

// outboxMost bounds the messages that wait for one receiver. What is dropped
// beyond that is sent again when the receiver's heartbeats ask for it.
const outboxMost = 1 << 12

// outbox is the queue of messages to one receiver. They are encoded when they
// are written, and only until then do they take more room than the vectors that
// the machine holds anyway.
type outbox struct {
	mu     sync.Mutex
	queue  []consensus.Message
	held   map[Label]bool // those of putOnce that wait or are being sent
	closed bool           // nothing more will be put in
	wake   chan struct{}  // of capacity 1
}

// Label tells a member's messages to another one apart, as far as they differ:
// what is sent again says the same.
type Label struct {
	slot   uint64
	ballot uint32
	body   reflect.Type
	number uint64 // of the frame, the state or what there is of it, where the body has one
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

// putOnce adds a message unless the same one waits or is being sent: a receiver
// behind a slow link asks again for what is on its way, and the way is reliable.
func (o *outbox) putOnce(m consensus.Message) {
	o.mu.Lock()
	if l := LabelOf(m); !o.held[l] && o.add(m) {
		o.held[l] = true
	}
	o.mu.Unlock()
	o.poke()
}

// holds reports whether what putOnce has added is not yet sent.
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

// clear drops what waits: its receiver is not the process any more that it was
// meant for.
func (o *outbox) clear() {
	o.mu.Lock()
	for _, m := range o.queue {
		delete(o.held, LabelOf(m))
	}
	o.queue = nil
	o.mu.Unlock()
}

// release notes that messages have been sent.
func (o *outbox) release(batch []consensus.Message) {
	o.mu.Lock()
	for _, m := range batch {
		delete(o.held, LabelOf(m))
	}
	o.mu.Unlock()
}

// close lets nothing more be put in.
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

// drain hands all messages to send, again and again until it succeeds, in
// batches that are sent whole. It returns when the outbox is closed and empty,
// or ctx has ended.
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
