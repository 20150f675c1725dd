package consensus

import (
	"testing"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// Early messages of a member take no more memory than one message of usual length.
func TestEarlyMessagesAreBounded(t *testing.T) {
	n := at(t, settings(session.Chebyshev, chunking.Chunks), "dealt")
	m := n.members[1]
	held := func() (bytes int) {
		for _, msg := range m.early[0] {
			bytes += weight(msg)
		}
		return bytes
	}
	blob := func(bytes int) Message {
		return Message{Slot: m.slot.number + 1, Body: &Blob{Header: Header{Kind: Gather}, Data: make([]byte, bytes)}}
	}
	next := Message{Slot: m.slot.number + 1, Body: &Seeds{Header: Header{Kind: Sum}, Chunk: make([]byte, 32)}}
	n.receive(1, 0, blob(60<<20))
	if len(m.early[0]) != 0 {
		t.Errorf("a blob of 60 MiB is kept: %d bytes", held())
	}
	for range earlyMost {
		n.receive(1, 0, blob(1<<20))
	}
	if len(m.early[0]) != 1 || held() != 1<<20 {
		t.Errorf("of %d blobs of 1 MiB %d are kept, %d bytes, want the last", earlyMost, len(m.early[0]), held())
	}
	for range 2 * earlyMost {
		n.receive(1, 0, next)
	}
	if len(m.early[0]) != earlyMost || held() != earlyMost*32 {
		t.Errorf("%d messages with seeds are kept, %d bytes, want %d", len(m.early[0]), held(), earlyMost)
	}
	m.longest = 1 << 20
	n.receive(1, 0, Message{Slot: m.slot.number + 1, Body: &Seeds{Header: Header{Kind: Sum}, Full: make([]uint64, 2<<20)}})
	if held() < 16<<20 {
		t.Errorf("a chunk as long as a vector before it, of two words a value, is not kept: %d bytes", held())
	}
}
