package rendezvous

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"
	"go.uber.org/goleak"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/nodetest"
	"github.com/collabdict/collabdict/node/internal/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testConfig describes member i of a run of size members on this machine.
func testConfig(t *testing.T, i, size int) Config {
	t.Helper()
	key, _ := nodetest.Key(t)
	return Config{
		Name: fmt.Sprintf("m%d", i), Size: size, Key: key, Timeout: nodetest.Within, Log: slog.New(slog.DiscardHandler),
		Agreement: membership.Agreement{{Name: "model", Value: "ggm"}, {Name: "rho", Value: "0.1"}},
		Settings:  consensus.Settings{Step: session.Chebyshev, Graph: graph.HamiltonCycles, Degree: 4, Protect: chunking.Chunks},
	}
}

func identity(t *testing.T, c Config) peer.ID {
	t.Helper()
	id, err := peer.IDFromPrivateKey(c.Key)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// opened returns a process that answers hellos and visits nobody.
func opened(t *testing.T, c Config) *Rendezvous {
	t.Helper()
	if len(c.Members) > 0 {
		c.Size = len(c.Members)
	}
	var err error
	if c.Store, err = store.Open(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if c.Host, err = transport.Listen(transport.Config{
		Key: c.Key, Listen: []string{"/ip4/127.0.0.1/tcp/0"}, Size: max(c.Size, 3), Consortium: c.Agreement.ID(), Log: c.Log,
	}); err != nil {
		t.Fatal(err)
	}
	r, err := New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(r) })
	return r
}

// end ends a process.
func end(r *Rendezvous) {
	r.cfg.Host.Close()
	r.Close()
	r.cfg.Store.Close()
}
