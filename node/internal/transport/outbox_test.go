package transport

import (
	"context"
	"errors"
	"testing"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// A message that waits or is being written is not queued again, however slow the link. A
// message that has been sent may be.
func TestOutboxHoldsAMessageOnce(t *testing.T) {
	step := func(slot uint64, round uint32) consensus.Message {
		return consensus.Message{Slot: slot, Body: &consensus.Step{Round: round, Words: []uint64{1}}}
	}
	seal := consensus.Message{Slot: 1, Body: &consensus.Seal{Sealed: &consensus.Sealed{}}}
	box := newOutbox()
	sending, results := make(chan []consensus.Message), make(chan error)
	done := make(chan struct{})
	go func() {
		defer close(done)
		box.drain(context.Background(), func(_ context.Context, batch []consensus.Message) error {
			sending <- batch
			return <-results
		})
	}()
	expect := func(what string, want ...consensus.Message) {
		t.Helper()
		got := nodetest.Receive(t, sending)
		if len(got) != len(want) {
			t.Fatalf("%s: %d messages, want %d", what, len(got), len(want))
		}
		for i := range want {
			if LabelOf(got[i]) != LabelOf(want[i]) {
				t.Errorf("%s: message %d is %+v, want %+v", what, i, got[i], want[i])
			}
		}
	}
	box.putOnce(step(1, 0))
	expect("first", step(1, 0))
	for range 3 { // while the first message is being written
		for _, m := range []consensus.Message{step(1, 0), step(1, 1), seal, step(2, 0)} {
			box.putOnce(m)
		}
	}
	if again := (&consensus.Sealed{Attempt: 7}); !box.holds(step(1, 0)) || !box.holds(consensus.Message{Slot: 1, Body: &consensus.Seal{Sealed: again}}) || box.holds(step(3, 0)) {
		t.Error("does not hold a message that is being sent, or holds another")
	}
	results <- errors.New("broken") // so that it is sent again
	expect("after a break", step(1, 0))
	box.putOnce(step(1, 0))
	results <- nil
	expect("those that waited", step(1, 1), seal, step(2, 0))
	box.putOnce(step(1, 0)) // it has been sent, and is asked for again
	results <- nil
	expect("asked for again", step(1, 0))
	box.close()
	results <- nil
	<-done
	if len(box.held) != 0 {
		t.Errorf("holds %v at the end", box.held)
	}
}
