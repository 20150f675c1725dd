package node

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/protocol"
)

// A member whose process has died or hangs may stay connected for half a minute. At the end
// nobody waits for it to read.
func TestAFrozenMemberDoesNotHoldUpTheEnd(t *testing.T) {
	t.Parallel()
	nodes := startAll(t, testConfigs(t, 5)...)
	freeze(nodes[0])
	rest := without(nodes, 0)
	for _, err := range each(t, rest, sum) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, took := range each(t, rest, func(ctx context.Context, n *Node) time.Duration {
		if n.host.Network().Connectedness(nodes[0].host.ID()) != network.Connected {
			t.Errorf("%s is no longer connected to it", n.Status().Name)
		}
		ended := make(chan time.Time, 1)
		go func() {
			<-n.loop.allEnded // news of that may take some heartbeats past a frozen member
			ended <- time.Now()
		}()
		if err := n.Finish(ctx); err != nil {
			t.Error(err)
		}
		finished := time.Now()
		return finished.Sub(<-ended)
	}) {
		if took >= flushMost {
			t.Errorf("member %d took %s to finish", i, took)
		}
	}
}

// dataProtocol returns the name of the protocol of the data plane.
func dataProtocol(n *Node) protocol.ID {
	return protocol.ID(fmt.Sprintf("/collabdict/%x/data/1", n.state.Consortium[:8]))
}

// freeze keeps a node's connections open, but stops all reading and sending.
func freeze(n *Node) {
	n.host.SetStreamHandler(dataProtocol(n), func(network.Stream) {})
	for _, c := range n.host.Network().Conns() {
		for _, s := range c.GetStreams() {
			if s.Protocol() == dataProtocol(n) {
				s.Reset()
			}
		}
	}
	n.cancel()
}

// A member that dies when all have signed may never receive control messages. The others wait
// for it no longer than for any lost member.
func TestALostMemberDoesNotHoldUpTheBeginning(t *testing.T) {
	t.Parallel()
	nodes := startAll(t, testConfigs(t, 5)...)
	nodes[4].Close() // like a crash: nothing is sent
	waitFor(t, func() bool {
		for _, n := range nodes[:4] {
			if slices.Contains(n.transport.Listening(), nodes[4].host.ID()) {
				return false
			}
		}
		return true
	})
	for _, err := range each(t, nodes[:4], func(ctx context.Context, n *Node) error {
		return n.transport.Assemble(ctx, n.heartbeat, n.loop.lost)
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	for _, n := range nodes[:4] {
		if lost := n.loop.lost(); len(lost) != 1 || !lost[4] {
			t.Errorf("%s has begun with %v lost", n.Status().Name, lost)
		}
	}
}
