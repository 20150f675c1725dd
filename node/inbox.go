package node

import (
	"sync/atomic"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// inboxSize bounds the messages that wait for the loop. It is small, since each may hold a
// vector. When the inbox is full, the senders' streams wait.
const inboxSize = 32

// An inbox holds messages from other members until the loop takes them.
type inbox struct {
	messages chan consensus.Receive
	stopped  chan struct{} // closed when the loop has returned
	members  *membership.Current
	longest  atomic.Int64 // most values of a Sum so far
	words    int          // words per value
}

func newInbox(members *membership.Current, words int) *inbox {
	return &inbox{messages: make(chan consensus.Receive, inboxSize), stopped: make(chan struct{}), members: members, words: words}
}

// deliver passes a message from another member to the loop.
func (b *inbox) deliver(from int, m consensus.Valid) {
	select {
	case b.messages <- consensus.Receive{From: from, Message: m}:
	case <-b.stopped:
	}
}

// usual returns the most bytes that a message needs, judged by the vectors of the run that this
// member knows.
func (b *inbox) usual() int {
	return max(mostBytes, 8*b.words*int(b.longest.Load())) + wire.Beside(len(b.members.Load().All))
}

func (b *inbox) noteLength(values int) { b.longest.Store(max(b.longest.Load(), int64(values))) }
