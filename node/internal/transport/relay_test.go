package transport

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"
	"github.com/multiformats/go-multiaddr"

	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// relayHosts returns number hosts. The first members of them are on the list of members, and
// the very first one relays.
func relayHosts(t *testing.T, number, members int) []*Host {
	t.Helper()
	keys, ids, list := make([]crypto.PrivKey, number), make([]peer.ID, number), []peer.ID(nil)
	for i := range keys {
		key, id := nodetest.Key(t)
		if keys[i], ids[i] = key, id; i < members {
			list = append(list, id)
		}
	}
	all := make([]*Host, number)
	for i, key := range keys {
		known := list
		if i >= members { // a stranger has its own list
			known = append([]peer.ID{ids[i]}, list...)
		}
		h, err := Listen(Config{
			Key: key, Listen: []string{"/ip4/127.0.0.1/tcp/0"}, Size: members, Members: known, Relay: i == 0, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Close() })
		all[i] = h
	}
	return all
}

// Members are connected through a relay. A stranger gets no reservation there, and nothing is
// relayed to or from it.
func TestNothingIsPassedOnForStrangers(t *testing.T) {
	all := relayHosts(t, 4, 3)
	relay, a, b, stranger := all[0], all[1], all[2], all[3]
	at := peer.AddrInfo{ID: relay.ID(), Addrs: relay.Addrs()}
	for _, h := range []*Host{a, b, stranger} {
		if err := h.Connect(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.Reserve(t.Context(), stranger, at); err == nil || !strings.Contains(err.Error(), "refused") && !strings.Contains(err.Error(), "PERMISSION_DENIED") {
		t.Errorf("a stranger's place: %v", err)
	}
	if _, err := client.Reserve(t.Context(), b, at); err != nil {
		t.Fatal(err)
	}
	through := func(to peer.ID) peer.AddrInfo {
		via, err := multiaddr.NewMultiaddr("/p2p/" + relay.ID().String() + "/p2p-circuit")
		if err != nil {
			t.Fatal(err)
		}
		return peer.AddrInfo{ID: to, Addrs: []multiaddr.Multiaddr{via}}
	}
	if err := stranger.Connect(t.Context(), through(b.ID())); err == nil {
		t.Error("a stranger's connection is relayed to a member")
	}
	if err := a.Connect(t.Context(), through(b.ID())); err != nil {
		t.Fatal(err)
	}
	links := a.Links()
	if len(links) != 2 || a.Network().Connectedness(b.ID()) != network.Connected {
		t.Fatalf("links %+v", links)
	}
	for _, l := range links {
		if want := map[peer.ID]peer.ID{relay.ID(): "", b.ID(): relay.ID()}[l.ID]; l.Via != want {
			t.Errorf("%s is reached through %q, want %q", l.ID, l.Via, want)
		}
	}

	// A member's messages arrive through the relay, even beyond libp2p's usual limit of bytes.
	got := make(chan int, 1)
	b.SetStreamHandler("/test", func(s network.Stream) {
		n, buffer := 0, make([]byte, 1<<16)
		for {
			k, err := s.Read(buffer)
			if n += k; err != nil {
				got <- n
				return
			}
		}
	})
	s, err := a.NewStream(t.Context(), b.ID(), "/test")
	if err != nil {
		t.Fatal(err)
	}
	const size = 1 << 20
	if _, err := s.Write(make([]byte, size)); err != nil || s.CloseWrite() != nil {
		t.Fatal(err)
	}
	select {
	case n := <-got:
		if n != size {
			t.Errorf("%d bytes come through, want %d", n, size)
		}
	case <-time.After(30 * time.Second):
		t.Error("nothing arrives")
	}
}

// WebSocket connections work with and without TLS, and with a secret.
func TestWebSockets(t *testing.T) {
	for name, secret := range map[string][]byte{"open": nil, "with a secret": []byte(strings.Repeat("s", 32))} {
		for _, at := range []string{"/ip4/127.0.0.1/tcp/0/ws", "/ip4/127.0.0.1/tcp/0/tls/ws"} {
			t.Run(name+at, func(t *testing.T) {
				var ends [2]*Host
				for i := range ends {
					key, _ := nodetest.Key(t)
					h, err := Listen(Config{Key: key, Listen: []string{at}, Size: 2, Secret: secret, Log: slog.New(slog.DiscardHandler)})
					if err != nil {
						t.Fatal(err)
					}
					ends[i] = h
					t.Cleanup(func() { ends[i].Close() })
				}
				if err := ends[0].Connect(t.Context(), peer.AddrInfo{ID: ends[1].ID(), Addrs: ends[1].Addrs()}); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}
