package transport

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/multiformats/go-multiaddr"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// Of many strangers a few may connect at once, and a stranger that opens too many streams is
// disconnected. A member can still connect.
func TestFewStrangersAreLetIn(t *testing.T) {
	all := hosts(t, 4+2*knocksMost)
	victim, member, strangers := all[0], all[1], all[2:]
	victim.Admission.Limit([]peer.ID{victim.ID(), member.ID()})
	to := peer.AddrInfo{ID: victim.ID(), Addrs: victim.Addrs()}
	for _, s := range strangers {
		_ = s.Connect(t.Context(), to) // it may seem to be admitted
	}
	if err := member.Connect(t.Context(), to); err != nil {
		t.Errorf("the member is not let in: %v", err)
	}
	in := 0
	for _, s := range strangers {
		if victim.Network().Connectedness(s.ID()) == network.Connected {
			in++
		}
	}
	if in == 0 || in > knocksMost {
		t.Fatalf("%d strangers are let in, want 1 to %d", in, knocksMost)
	}
	gone := make(chan struct{})
	busy := strangers[slices.IndexFunc(strangers, func(s *end) bool { return victim.Network().Connectedness(s.ID()) == network.Connected })]
	busy.Network().Notify(&network.NotifyBundle{DisconnectedF: func(network.Network, network.Conn) { close(gone) }})
	c := busy.Network().ConnsToPeer(victim.ID())[0]
	for range 4 * knockStreams {
		if s, err := c.NewStream(t.Context()); err == nil {
			_, _ = s.Write([]byte("/multistream/1.0.0\n"))
		}
	}
	select {
	case <-gone:
	case <-time.After(strangerTimeout / 2):
		t.Errorf("a stranger that opens %d streams stays", 4*knockStreams)
	}
}

// A peer has the limits of a member from the moment on that it is listed.
func TestLimitsFollowTheMembers(t *testing.T) {
	a := &Admission{}
	l := (&limiter{admission: a, member: memberLimit(3)}).GetPeerLimits("x")
	for _, step := range []struct {
		members []peer.ID
		want    int64
	}{{nil, unlistedLimit.Memory}, {[]peer.ID{"x"}, memberLimit(3).Memory}, {[]peer.ID{"y"}, unlistedLimit.Memory}} {
		if step.members != nil {
			a.Limit(step.members)
		}
		if got := l.GetMemoryLimit(); got != step.want {
			t.Errorf("members %v: %d bytes, want %d", step.members, got, step.want)
		}
	}
}

// warnings counts the lines of a log with a text.
type warnings struct {
	mu    sync.Mutex
	lines []string
	more  chan struct{}
}

func (w *warnings) Write(b []byte) (int, error) {
	w.mu.Lock()
	w.lines = append(w.lines, string(b))
	w.mu.Unlock()
	w.more <- struct{}{}
	return len(b), nil
}

// A member whose frames cannot be read is logged once, and its later messages arrive.
func TestAMemberThatSendsJunkIsNamedOnce(t *testing.T) {
	w := &warnings{more: make(chan struct{}, 100)}
	all := hosts(t, 2)
	all[1].log = slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn}))
	peers := peersOf(t, all...)
	peers[0].Name, peers[1].Name = "anna", "bert"
	for _, e := range all {
		e.begin(t, 1, peers)
	}
	for i, junk := range [][]byte{[]byte("nonsense"), make([]byte, 100), nil} {
		s, err := all[0].NewStream(t.Context(), all[1].ID(), all[0].protocol)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.SetDeadline(time.Now().Add(nodetest.Within)), wire.WriteMessage(s, wire.MarshalOpening([32]byte{1})), wire.WriteMessage(s, junk)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Read(make([]byte, 1)); err == nil {
			t.Errorf("junk %d is answered", i)
		}
		if i == 0 {
			nodetest.Receive(t, w.more)
		}
	}
	all[0].Send(1, message(7))
	all[1].expect(t, 0, 7)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.lines) != 1 || !strings.Contains(w.lines[0], "name=anna") {
		t.Errorf("the log has %q, want one line with the name", w.lines)
	}
}

// A blob that is longer than a caller may send is dropped.
func TestABlobHasABound(t *testing.T) {
	w := &warnings{more: make(chan struct{}, 100)}
	all := hosts(t, 2)
	all[1].log = slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn}))
	for _, e := range all {
		e.begin(t, 1, peersOf(t, all...))
	}
	all[1].data.mostBlob = 1000
	blob := func(slot uint64, bytes int) consensus.Message {
		return consensus.Message{Slot: slot, Body: &consensus.Blob{Header: consensus.Header{Kind: consensus.Gather}, Data: make([]byte, bytes)}}
	}
	all[0].Send(1, blob(1, 1000))
	all[1].expect(t, 0, 1)
	all[0].Send(1, blob(2, 1001))
	nodetest.Receive(t, w.more)
}

// A peer may send its share of the control plane and no more. After a while it has its share
// again.
func TestSharesOfTheControlPlane(t *testing.T) {
	s, now := newShares(), time.Unix(1_000_000, 0)
	named := map[peer.ID]int{}
	s.begin(func(id peer.ID, _ error) { named[id]++ })
	sent := func(id peer.ID) (n int) {
		for s.take(now, id, 1<<20) == nil {
			n++
		}
		return n
	}
	if n := sent("a"); n != shareBurst>>20 || named["a"] != 1 {
		t.Errorf("%d MiB are let in, and it is named %d times", n, named["a"])
	}
	if n := sent("b"); n != shareBurst>>20 {
		t.Errorf("another peer has %d MiB", n)
	}
	now = now.Add(time.Second)
	if n := sent("a"); n != sharePerSecond>>20 {
		t.Errorf("after a second it may send %d MiB", n)
	}
	now = now.Add(time.Hour)
	if s.take(now, "c", 1) != nil || len(s.byPeer) != 1 {
		t.Errorf("%d shares are kept, want only those that are not whole", len(s.byPeer))
	}
}

// Addresses of members have a bucket of their own, and a host's outgoing connections are not
// limited.
func TestTheDoor(t *testing.T) {
	key, _ := nodetest.Key(t)
	h, err := Listen(Config{Key: key, Listen: []string{"/ip4/127.0.0.1/tcp/0"}, Size: 4, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	d := newDoor(&network.NullResourceManager{}, 4, h.Admission)
	near, far := multiaddrOf(t, "/ip4/192.0.2.1/tcp/1"), multiaddrOf(t, "/ip4/192.0.2.2/tcp/1")
	h.Admission.near.add(addressOf(near))
	for range 1000 {
		_, _ = d.OpenConnection(network.DirInbound, true, far)
	}
	if _, err := d.OpenConnection(network.DirInbound, true, far); err == nil {
		t.Error("a stranger's address connects without limit")
	}
	if _, err := d.OpenConnection(network.DirInbound, true, near); err != nil {
		t.Errorf("a member's address: %v", err)
	}
	if _, err := d.OpenConnection(network.DirOutbound, true, far); err != nil {
		t.Errorf("a connection of its own: %v", err)
	}
}

func multiaddrOf(t *testing.T, s string) multiaddr.Multiaddr {
	t.Helper()
	a, err := multiaddr.NewMultiaddr(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
