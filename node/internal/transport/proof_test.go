package transport

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/muxer/yamux"

	"github.com/collabdict/collabdict/node/internal/nodetest"
	"github.com/collabdict/collabdict/node/internal/secret"
)

var shared = secret.Secret("0123456789abcdef0123456789abcdef")

// knowing returns a host with a secret, which listens on TCP and QUIC, and its log.
func knowing(t *testing.T, s secret.Secret) (*Host, *nodetest.Log) {
	t.Helper()
	key, _ := nodetest.Key(t)
	log := &nodetest.Log{}
	h, err := Listen(Config{
		Key: key, Size: 3, Secret: s, Log: slog.New(slog.NewTextHandler(log, nil)),
		Listen: []string{"/ip4/127.0.0.1/tcp/0", "/ip4/127.0.0.1/udp/0/quic-v1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h, log
}

// Only peers that know the secret can connect, over every transport and in both directions.
func TestOnlyProvenPeersConnect(t *testing.T) {
	other := append(secret.Secret{1}, shared[1:]...)
	for _, carrier := range []string{"tcp", "quic-v1"} {
		for name, tc := range map[string]struct {
			dialler, dialled secret.Secret
			connect          bool
			says             string // hosts that know the secret
		}{
			"same":            {shared, shared, true, ""},
			"another secret":  {other, shared, false, "its proof of the secret is wrong"},
			"none":            {nil, shared, false, "it does not use a secret"},
			"dials none":      {shared, nil, false, "it does not use a secret"},
			"nobody has one":  {nil, nil, true, ""},
			"dials another's": {shared, other, false, "it finds this node's proof of the secret wrong"},
		} {
			t.Run(carrier+" "+name, func(t *testing.T) {
				t.Parallel()
				dialler, hears := knowing(t, tc.dialler)
				dialled, said := knowing(t, tc.dialled)
				to := peer.AddrInfo{ID: dialled.ID()}
				for _, a := range dialled.Addrs() {
					if strings.Contains(a.String(), carrier) {
						to.Addrs = append(to.Addrs, a)
					}
				}
				ctx, cancel := context.WithTimeout(t.Context(), nodetest.Within)
				defer cancel()
				err := dialler.Connect(ctx, to)
				if tc.connect {
					if err != nil {
						t.Fatal(err)
					}
					return
				}
				// A host without a secret sees a connection until the other end closes it.
				for err == nil && dialler.Network().Connectedness(to.ID) == network.Connected {
					_, err = dialler.NewStream(ctx, to.ID, dialled.protocol)
				}
				if ctx.Err() != nil {
					t.Errorf("it stays connected: %v", err)
				}
				for _, h := range []struct {
					*Host
					secret secret.Secret
					other  peer.ID
				}{{dialler, tc.dialler, dialled.ID()}, {dialled, tc.dialled, dialler.ID()}} {
					if h.secret == nil {
						continue
					}
					if protocols, err := h.Peerstore().GetProtocols(h.other); len(h.Network().Conns()) > 0 || len(protocols) > 0 || err != nil {
						t.Errorf("a host with a secret is connected, or has been: %v, %v", protocols, err)
					}
				}
				dialled.Close() // once everything is logged
				if got := hears.String() + said.String(); !strings.Contains(got, tc.says) {
					t.Errorf("the logs have no %q:\n%s", tc.says, got)
				}
			})
		}
	}
}

// Peers without the secret cannot fill the log, however many they are.
func TestFewUnprovenPeersAreLogged(t *testing.T) {
	log := &nodetest.Log{}
	p := &prover{log: slog.New(slog.NewTextHandler(log, nil)), logged: map[peer.ID]bool{}}
	for i := range 1000 {
		for range 2 {
			p.tell(peer.ID(rune(i)), secret.ErrWrong)
		}
		p.tell("gone", net.ErrClosed)
	}
	if n := strings.Count(log.String(), "\n"); n != unprovenMost || strings.Contains(log.String(), "gone") {
		t.Errorf("%d lines, want %d:\n%s", n, unprovenMost, log)
	}
}

// A peer that delays the exchange at any point is disconnected at the deadline.
func TestSlowProofs(t *testing.T) {
	opening := append([]byte("collabdict/secret/1\n"), make([]byte, 32)...)
	for name, says := range map[string][]byte{
		"no stream": nil, "nothing": {}, "half a nonce": opening[:30], "no proof": opening,
		"half a proof": append(opening[:len(opening):len(opening)], make([]byte, 40)...),
		"a wrong one":  append(opening[:len(opening):len(opening)], make([]byte, 64)...),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x, y := net.Pipe()
				honest, err := yamux.DefaultTransport.NewConn(x, true, nil)
				if err != nil {
					t.Fatal(err)
				}
				slow, err := yamux.DefaultTransport.NewConn(y, false, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer slow.Close()
				if says != nil {
					s, err := slow.OpenStream(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					if _, err := s.Write(says); err != nil {
						t.Fatal(err)
					}
				}
				p := &prover{party: secret.Party{Secret: shared, ID: "p"}, log: slog.New(slog.DiscardHandler), logged: map[peer.ID]bool{}}
				began := time.Now()
				err = p.prove(t.Context(), honest, "slow", true)
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != proofTimeout || !honest.IsClosed() {
					t.Errorf("%v after %v, closed %v, want the deadline after %v", err, time.Since(began), honest.IsClosed(), proofTimeout)
				}
			})
		})
	}
}
