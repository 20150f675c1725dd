package node

import (
	"sync/atomic"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// inboxSize bounds the messages that wait for the loop: few, since each may be a
// vector. Beyond that the senders' streams are held back.
const inboxSize = 32

// inbox is where messages from other members wait for the loop, and what bounds them.
type inbox struct {
	messages chan consensus.Receive
	stopped  chan struct{} // closed when the loop has returned
	members  *membership.Current
	longest  atomic.Int64 // values of a Sum so far
	words    int          // that a value takes
}

func newInbox(members *membership.Current, words int) *inbox {
	return &inbox{messages: make(chan consensus.Receive, inboxSize), stopped: make(chan struct{}), members: members, words: words}
}

// deliver hands the loop a message from another member.
func (b *inbox) deliver(from int, m consensus.Valid) {
	select {
	case b.messages <- consensus.Receive{From: from, Message: m}:
	case <-b.stopped:
	}
}

// usual returns the most bytes of a message as far as this member knows the run's
// vectors.
func (b *inbox) usual() int {
	return max(mostBytes, 8*b.words*int(b.longest.Load())) + wire.Beside(len(b.members.Load().All))
}

func (b *inbox) noteLength(values int) { b.longest.Store(max(b.longest.Load(), int64(values))) }
