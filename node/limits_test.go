package node

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/protocol"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/nodetest"
	"github.com/collabdict/collabdict/node/internal/rendezvous"
)

// pair returns the nodes of a run of two.
func pair(t *testing.T) []*Node {
	t.Helper()
	configs := testConfigs(t, 2)
	for i := range configs {
		configs[i].Settings.Protect = chunking.None
	}
	return startAll(t, configs...)
}

func openStream(t *testing.T, from, to *Node, p protocol.ID, messages ...[]byte) network.Stream {
	t.Helper()
	s, err := from.host.NewStream(t.Context(), to.host.ID(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Reset() })
	if err := s.SetDeadline(time.Now().Add(nodetest.Within / 2)); err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		if err := wire.WriteMessage(s, m); err != nil && !errors.Is(err, network.ErrReset) {
			t.Fatal(err)
		}
	}
	return s
}

// isReset waits for the other side to reset a stream.
func isReset(t *testing.T, what string, s network.Stream) {
	t.Helper()
	if _, err := s.Read(make([]byte, 1)); !errors.Is(err, network.ErrReset) {
		t.Errorf("%s: got %v, want a reset", what, err)
	}
}

func TestOneDataStreamOfAMemberIsRead(t *testing.T) {
	t.Parallel()
	nodes := pair(t)
	p, opening := dataProtocol(nodes[0]), wire.MarshalOpening(nodes[0].state.ID)
	ended := make(chan error, 2)
	for range 2 {
		s := openStream(t, nodes[0], nodes[1], p, opening)
		go func() {
			_, err := s.Read(make([]byte, 1))
			ended <- err
		}()
	}
	if err := nodetest.Receive(t, ended); !errors.Is(err, network.ErrReset) {
		t.Errorf("the older stream: got %v, want a reset", err)
	}
	for _, err := range each(t, nodes, sum) { // on a new stream of the node's own
		if err != nil {
			t.Fatal(err)
		}
	}
	finish(t, nodes)
}

// A member can make another hold no more than the longest vector of the run so far, or a blob.
func TestMessagesAreAsLongAsTheCallsNeed(t *testing.T) {
	t.Parallel()
	nodes := pair(t)
	p, opening := dataProtocol(nodes[0]), wire.MarshalOpening(nodes[0].state.ID)
	isReset(t, "2 MiB that say nothing", openStream(t, nodes[0], nodes[1], p, opening, make([]byte, 2<<20)))
	const length = 200_000
	for _, err := range each(t, nodes, func(ctx context.Context, n *Node) error {
		_, err := n.Sum(ctx, collabdict.Summand{Values: make([]float64, length), Blocks: []collabdict.Block{{Len: length, Bound: 1}}})
		return err
	}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, want := nodes[0].loop.inbox.usual(), 8*length+wire.Beside(2); got != want {
		t.Errorf("takes %d bytes after a sum of %d values, want %d", got, length, want)
	}
	for _, err := range each(t, nodes, func(ctx context.Context, n *Node) error {
		blobs, err := n.Gather(ctx, "test", bytes.Repeat([]byte{byte(n.Self())}, mostBytes))
		if err == nil && (len(blobs[0]) != mostBytes || len(blobs[1]) != mostBytes) {
			err = errors.New("a blob was cut")
		}
		return err
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	if _, err := nodes[0].Gather(t.Context(), "test", make([]byte, mostBytes+1)); err == nil || !strings.Contains(err.Error(), "at most 1048576 bytes") {
		t.Errorf("a blob that is too long: got %v", err)
	}
	finish(t, nodes)
}

// At most four hellos of one peer are read at once.
func TestHellosAreBounded(t *testing.T) {
	t.Parallel()
	nodes := pair(t)
	var open []network.Stream
	for range rendezvous.AnswersMost {
		s := openStream(t, nodes[0], nodes[1], rendezvous.HelloProtocol)
		if _, err := s.Write([]byte{1}); err != nil { // the rest is never sent
			t.Fatal(err)
		}
		open = append(open, s)
	}
	many := openStream(t, nodes[0], nodes[1], rendezvous.HelloProtocol)
	many.Write([]byte{1})
	for _, s := range append(open, many) {
		s.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
	}
	refused := 0
	for _, s := range append(open, many) {
		if _, err := s.Read(make([]byte, 1)); errors.Is(err, network.ErrReset) {
			refused++
		}
	}
	if refused != 1 {
		t.Errorf("%d of %d hellos at once were refused, want 1", refused, rendezvous.AnswersMost+1)
	}
	finish(t, nodes)
}

// A long agreement fits into a hello. A much longer one of another member is reported as a
// disagreement at once.
func TestLongAgreements(t *testing.T) {
	t.Parallel()
	long := func(n int) Agreement {
		return Agreement{{Name: "a", Value: strings.Repeat("x", n)}, {Name: "b", Value: strings.Repeat("x", n)}, {Name: "c", Value: strings.Repeat("x", n)}}
	}
	configs := testConfigs(t, 3)
	for i := range configs {
		configs[i].Agreement = long(60_000)
	}
	finish(t, startAll(t, configs...))
	a, b := testConfig(t, 0, 3), testConfig(t, 1, 3)
	b.Agreement = long(60_000)
	keptApart(t, a, b, []string{"disagrees on"})
	b = testConfig(t, 1, 3)
	for i := range 20 {
		b.Agreement = append(b.Agreement, Field{Name: strings.Repeat("n", i+1), Value: strings.Repeat("x", wire.MaxValue)})
	}
	var config *ConfigError
	if end := join(t, b).wait(t); !errors.As(end.err, &config) {
		t.Errorf("an agreement of over a megabyte: got %v, want a ConfigError", end.err)
	}
}
