package rendezvous

import (
	"context"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/node/internal/membership"
)

// A probe has the time of a trip if there is an answer, and only then.
func TestTripOfAProbe(t *testing.T) {
	a, b := opened(t, testConfig(t, 0, 3)), opened(t, testConfig(t, 1, 3))
	id := b.cfg.Host.ID()
	if err := a.cfg.Host.Connect(t.Context(), peer.AddrInfo{ID: id, Addrs: b.cfg.Host.Addrs()}); err != nil {
		t.Fatal(err)
	}
	if p := a.Probe(t.Context(), membership.Member{ID: id}); p.Err == nil || p.Trip != 0 {
		t.Errorf("%v after %s, want no answer and no time", p.Err, p.Trip)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	b.joining = over // it visits nobody
	if err := b.discover(); err != nil {
		t.Fatal(err)
	}
	if p := a.Probe(t.Context(), membership.Member{ID: id}); p.Err != nil || p.Trip <= 0 {
		t.Errorf("%v after %s, want an answer and its time", p.Err, p.Trip)
	}
}
