package rendezvous

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"google.golang.org/protobuf/proto"

	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/internal/wire/pb"
	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// A process of another version is answered, whichever side says hello, so that both sides
// report the version before a run.
func TestAnotherVersionIsNamed(t *testing.T) {
	var log nodetest.Log
	c := testConfig(t, 0, 3)
	c.Log = slog.New(slog.NewTextHandler(&log, nil))
	a, b := opened(t, c), opened(t, testConfig(t, 1, 3))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	a.joining = over // it visits nobody
	if err := a.discover(); err != nil {
		t.Fatal(err)
	}
	hello, err := wire.MarshalHello(b.hello(a.cfg.Host.ID()))
	if err != nil {
		t.Fatal(err)
	}
	var other pb.Hello
	if err := proto.Unmarshal(hello, &other); err != nil {
		t.Fatal(err)
	}
	other.Version = wire.Version + 1
	if hello, err = proto.Marshal(&other); err != nil {
		t.Fatal(err)
	}
	if err := b.cfg.Host.Connect(t.Context(), peer.AddrInfo{ID: a.cfg.Host.ID(), Addrs: a.cfg.Host.Addrs()}); err != nil {
		t.Fatal(err)
	}

	// The other process says hello, and gets an answer of this version.
	s, err := b.cfg.Host.NewStream(t.Context(), a.cfg.Host.ID(), HelloProtocol)
	if err != nil {
		t.Fatal(err)
	}
	if err := wire.WriteMessage(s, hello); err != nil {
		t.Fatal(err)
	}
	answer, err := wire.ReadMessage(s, wire.MaxHello)
	if err != nil {
		t.Fatal("no answer to a hello of another version:", err)
	}
	if h, err := wire.UnmarshalHello(answer); err != nil || h.Name != c.Name {
		t.Errorf("got %+v, %v", h, err)
	}
	s.Close()
	const want = "wire version: want 7, got 8: all members need the same release of collabdict"
	if !strings.Contains(log.String(), want) {
		t.Errorf("the log does not have %q but\n%s", want, log.String())
	}

	// This process says hello, and the answer is of another version.
	said := make(chan struct{}, 1)
	b.cfg.Host.SetStreamHandler(HelloProtocol, func(s network.Stream) {
		_ = wire.WriteMessage(s, hello)
		_ = s.CloseWrite()
		_, _ = wire.ReadMessage(s, wire.MaxHello)
		said <- struct{}{}
	})
	if err := a.exchange(t.Context(), b.cfg.Host.ID()); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	nodetest.Receive(t, said)
}
