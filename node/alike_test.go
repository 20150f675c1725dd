package node

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
	"github.com/collabdict/collabdict/netsim"
)

// Five nodes and five simulated members that train on the same rows make the same decisions,
// bit for bit, and send the same messages.
func TestNodesMatchTheSimulation(t *testing.T) {
	t.Parallel()
	const size = 5
	k := pipelinetest.Task(t, "ggm", "components=2", "rounds=3", "tol=0", "rho=1", "seed=2")
	k.Settings = testConfig(t, 0, size).Settings
	k.Settings.Scheme = consensus.Exact
	parts := plants.Generate(plants.Spec{Participants: size, Rows: 60, Columns: 3, Patterns: 2}, 4)
	want := newTranscript()
	net, err := netsim.New(netsim.Config{Names: netsim.Names(size), Settings: k.Settings, Seed: k.Seed, Observer: want})
	if err != nil {
		t.Fatal(err)
	}
	report, err := net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) error {
		_, err := k.Fit(ctx, g, parts[rank], rand.NewPCG(1, uint64(rank)), nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("loopback", func(t *testing.T) {
		t.Parallel()
		configs := testConfigs(t, size)
		for i := range configs {
			configs[i].Settings, configs[i].Heartbeat = k.Settings, time.Second
		}
		train(t, startAll(t, configs...), k, parts).compare(t, want, report.Rules.Quorum)
	})
	t.Run("links", func(t *testing.T) {
		simulate(t, 20*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
			train(t, s.start(t, s.configs(t, size)...), k, parts).compare(t, want, report.Rules.Quorum)
		})
	})
}

// train returns the transcript of a run of nodes.
func train(t *testing.T, nodes []*Node, k *pipeline.Task, parts []dataset.Participant) *transcript {
	t.Helper()
	r := newTranscript()
	for _, n := range nodes {
		r.tap(t, n)
	}
	for rank, err := range each(t, nodes, func(ctx context.Context, n *Node) error {
		_, err := k.Fit(ctx, n, parts[n.Self()], rand.NewPCG(1, uint64(n.Self())), nil)
		return err
	}) {
		if err != nil {
			t.Fatalf("member %d: %v", rank, err)
		}
	}
	for rank, n := range nodes {
		if err := n.Decisions(func(d *consensus.Decision) error { r.Decided(rank, d, nil); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	finish(t, nodes)
	return r
}
