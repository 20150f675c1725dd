package transport

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// An end is one process of a run, and the messages that it receives.
type end struct {
	*Host
	*Transport
	inbox  chan consensus.Receive
	cancel context.CancelFunc
}

// hosts returns processes on this machine that have not joined a run.
func hosts(t *testing.T, n int) []*end { return hostsWith(t, n, nil) }

// hostsWith is like hosts, with hosts that gossip returns for gossipsub.
func hostsWith(t *testing.T, n int, gossip func(host.Host) host.Host) []*end {
	t.Helper()
	all := make([]*end, n)
	for i := range all {
		key, _ := nodetest.Key(t)
		h, err := Listen(Config{Key: key, Listen: []string{"/ip4/127.0.0.1/tcp/0"}, Size: n, Log: slog.New(slog.DiscardHandler), gossipHost: gossip})
		if err != nil {
			t.Fatal(err)
		}
		e := &end{Host: h, inbox: make(chan consensus.Receive, 100)}
		t.Cleanup(func() {
			if e.cancel != nil {
				e.cancel()
			}
			h.Host.Close()
			h.Close()
			if e.Transport != nil {
				e.Wait()
			}
		})
		all[i] = e
	}
	return all
}

// peersOf returns the peers of a run of the given processes.
func peersOf(t *testing.T, all ...*end) []Peer {
	t.Helper()
	var list []Peer
	for _, e := range all {
		list = append(list, Peer{ID: e.ID(), Addrs: e.Addrs()})
	}
	return list
}

// begin starts the traffic of a run at a process.
func (e *end) begin(t *testing.T, run byte, peers []Peer) {
	t.Helper()
	for _, o := range peers {
		e.Peerstore().AddAddrs(o.ID, o.Addrs, time.Hour)
	}
	ctx, cancel := context.WithCancel(context.Background())
	e.cancel = cancel
	var err error
	e.Transport, err = e.Begin(ctx, Run{
		ID: [32]byte{run}, Peers: peers, Usual: func() int { return 1 << 20 },
		Deliver: func(from int, m consensus.Valid) { e.inbox <- consensus.Receive{From: from, Message: m} },
	})
	if err != nil {
		t.Fatal(err)
	}
}

// message returns a message of the data plane that contains a number.
func message(number uint64) consensus.Message {
	return consensus.Message{Slot: number, Body: &consensus.Step{Words: []uint64{1, 2, 3}}}
}

func (e *end) expect(t *testing.T, from int, slot uint64) {
	t.Helper()
	if got := nodetest.Receive(t, e.inbox); got.From != from || got.Message.Message().Slot != slot {
		t.Fatalf("got slot %d from %d, want slot %d from %d", got.Message.Message().Slot, got.From, slot, from)
	}
}

// A stream that is opened before the run waits for it. The sender of a message is known from
// the connection.
func TestMessagesComeWithTheirSender(t *testing.T) {
	all := hosts(t, 3)
	peers := peersOf(t, all...)
	all[0].begin(t, 1, peers)
	all[0].Send(1, message(7))
	all[0].Send(0, message(1)) // a message to itself is dropped
	if !all[0].Holds(1, message(7)) {
		t.Error("does not hold a message that is not read yet")
	}
	all[1].begin(t, 1, peers)
	all[2].begin(t, 1, peers)
	all[1].expect(t, 0, 7)
	for i, e := range all {
		e.SendAll(message(uint64(10 + i)))
	}
	for i, e := range all {
		seen := map[int]uint64{}
		for range 2 {
			m := nodetest.Receive(t, e.inbox)
			seen[m.From] = m.Message.Message().Slot
		}
		for j := range all {
			if want := uint64(10 + j); j != i && seen[j] != want {
				t.Errorf("%d has slot %d of %d, want %d", i, seen[j], j, want)
			}
		}
	}
	for _, e := range all {
		e.Flush(nodetest.Within, func() map[int]bool { return nil })
	}
	if sent := all[0].Traffic(); sent.MessagesSent != 3 || sent.DataBytesSent == 0 || sent.DataBytesSent > sent.BytesSent {
		t.Errorf("traffic %+v, want 3 messages", sent)
	}
}

// Processes cannot send messages into another run.
func TestRunsAreApart(t *testing.T) {
	all := hosts(t, 2)
	peers := peersOf(t, all...)
	all[0].begin(t, 1, peers)
	all[1].begin(t, 2, peers)
	s, err := all[0].NewStream(t.Context(), all[1].ID(), all[0].protocol)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.SetDeadline(time.Now().Add(nodetest.Within)), wire.WriteMessage(s, wire.MarshalOpening([32]byte{1}))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(make([]byte, 1)); !errors.Is(err, network.ErrReset) {
		t.Errorf("got %v, want a reset", err)
	}
	if len(all[1].inbox) != 0 {
		t.Error("a message of another run was delivered")
	}
}

// A new membership admits the new peers, and stops sending to those that are gone.
func TestTheMembershipChanges(t *testing.T) {
	all := hosts(t, 3)
	two := peersOf(t, all[:2]...)
	all[0].begin(t, 1, two)
	all[1].begin(t, 1, two)
	if all[0].Admission.Has(all[2].ID()) {
		t.Fatal("a stranger may take part")
	}
	three := peersOf(t, all...)
	all[0].Follow(three)
	all[1].Follow(three)
	all[2].begin(t, 1, three)
	all[0].Send(2, message(3))
	all[2].expect(t, 0, 3)
	three[1].Gone = true
	all[0].Follow(three)
	all[0].Send(2, message(4))
	all[2].expect(t, 0, 4)
	if all[0].Admission.Has(all[1].ID()) {
		t.Error("a member that is gone may take part")
	}
	select {
	case <-all[0].peers.lane(1).done:
	case <-time.After(nodetest.Within):
		t.Error("keeps sending to a member that is gone")
	}
	if len(all[1].inbox) != 0 {
		t.Error("a process that was not sent anything has received a message")
	}
}

// Only members are admitted, once they are known.
func TestAdmission(t *testing.T) {
	var a Admission
	if !a.Has("anybody") || a.Contains("anybody") || !a.InterceptPeerDial("anybody") {
		t.Error("keeps peers away before it knows the members")
	}
	a.Limit([]peer.ID{"m"})
	if !a.Has("m") || a.Has("s") || a.Contains("m") || !a.Contains("s") || a.InterceptPeerDial("s") {
		t.Error("admits other peers than the members")
	}
}

// A deaf host cannot open the first stream of the control plane.
type deaf struct {
	host.Host
	heard *atomic.Bool
}

func (d deaf) NewStream(ctx context.Context, to peer.ID, ids ...protocol.ID) (network.Stream, error) {
	if strings.HasPrefix(string(ids[0]), "/meshsub/") && !d.heard.Swap(true) {
		return nil, errors.New("the connection closes")
	}
	return d.Host.NewStream(ctx, to, ids...)
}

// Gossipsub does not try again to open its stream to a peer while their connection lasts. The
// members of a run then replace the connection.
func TestAConnectionWithoutControlMessagesIsReplaced(t *testing.T) {
	var failed []*atomic.Bool
	all := hostsWith(t, 2, func(h host.Host) host.Host {
		d := deaf{h, &atomic.Bool{}}
		d.heard.Store(len(failed) > 0) // only the first cannot be heard
		failed = append(failed, d.heard)
		return d
	})
	peers := peersOf(t, all...)
	for _, e := range all {
		e.begin(t, 1, peers)
	}
	if err := all[0].Connect(t.Context(), peer.AddrInfo{ID: all[1].ID(), Addrs: all[1].Addrs()}); err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if err := e.Assemble(t.Context(), 10*time.Millisecond, func() map[int]bool { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if !failed[0].Load() {
		t.Error("no stream has failed")
	}
}
