package node

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
	"github.com/collabdict/collabdict/node/internal/nodetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testConfig describes member i of a run of size members on this machine.
func testConfig(t *testing.T, i, size int) Config {
	t.Helper()
	c := Config{
		Name: fmt.Sprintf("m%d", i), Dir: t.TempDir(), Expect: size, Open: size > 0,
		Listen:    []string{"/ip4/127.0.0.1/udp/0/quic-v1", "/ip4/127.0.0.1/tcp/0"},
		Agreement: Agreement{{Name: "model", Value: "ggm"}, {Name: "rho", Value: "0.1"}},
		Settings: consensus.Settings{
			Step: session.Chebyshev, Graph: graph.HamiltonCycles, Degree: 4, Protect: chunking.Chunks,
		},
		JoinTimeout: nodetest.Within, Heartbeat: 200 * time.Millisecond,
	}
	if os.Getenv("COLLABDICT_TEST_LOG") != "" {
		c.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})).With("node", c.Name)
	}
	return c
}

var nullLog = slog.New(slog.DiscardHandler)

// joined is the result of a Join.
type joined struct {
	node *Node
	err  error
}

// joining is a Join that is running.
type joining struct {
	addrs chan []string // receives its address, once
	ended chan joined
}

// join begins a Join. The node is closed when the test ends.
func join(t *testing.T, c Config) *joining {
	j := &joining{addrs: make(chan []string, 1), ended: make(chan joined, 1)}
	var once sync.Once
	onStatus := c.OnStatus
	c.OnStatus = func(s Status) {
		once.Do(func() { j.addrs <- s.Addrs })
		if onStatus != nil {
			onStatus(s)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		n, err := Join(ctx, c)
		j.ended <- joined{n, err}
		if n != nil {
			<-ctx.Done()
			n.Close()
		}
	})
	t.Cleanup(func() { cancel(); done.Wait() })
	return j
}

func (j *joining) wait(t *testing.T) joined {
	t.Helper()
	return nodetest.Receive(t, j.ended)
}

// joinAll begins a Join of every configuration; the first is in the Peers of all.
func joinAll(t *testing.T, configs ...Config) []*joining {
	t.Helper()
	all := []*joining{join(t, configs[0])}
	addrs := nodetest.Receive(t, all[0].addrs)
	for _, c := range configs[1:] {
		c.Peers = append(slices.Clone(c.Peers), addrs...)
		all = append(all, join(t, c))
	}
	return all
}

// startAll returns the nodes of a run, in rank order.
func startAll(t *testing.T, configs ...Config) []*Node {
	t.Helper()
	nodes := make([]*Node, len(configs))
	for _, j := range joinAll(t, configs...) {
		end := j.wait(t)
		if end.err != nil {
			t.Fatal(end.err)
		}
		nodes[end.node.Self()] = end.node
	}
	return nodes
}

func testConfigs(t *testing.T, size int) []Config {
	configs := make([]Config, size)
	for i := range configs {
		configs[i] = testConfig(t, i, size)
	}
	return configs
}

// each calls f for all nodes at once and waits.
func each[T any](t *testing.T, nodes []*Node, f func(ctx context.Context, n *Node) T) []T {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), nodetest.Within)
	defer cancel()
	results := make([]T, len(nodes))
	var done sync.WaitGroup
	for i, n := range nodes {
		done.Go(func() { results[i] = f(ctx, n) })
	}
	done.Wait()
	return results
}
