package node

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/testkit"
)

// The log gives the plan of sums once per plan, since the plan depends on their length.
func TestPlansAreLogged(t *testing.T) {
	testkit.SkipRaced(t) // TestAMemberLostInALongSum has the same goroutines
	t.Parallel()
	configs := testConfigs(t, 3)
	var log bytes.Buffer // written under the logger's lock, and read after the node is closed
	for i := range configs {
		configs[i].Settings = consensus.Settings{Scheme: consensus.Exact, Protect: chunking.Chunks}
	}
	configs[0].Log = slog.New(slog.NewTextHandler(&log, nil))
	nodes := startAll(t, configs...)
	for _, length := range []int{10, 50_000, 20, 60_000} {
		for _, err := range each(t, nodes, func(ctx context.Context, n *Node) error {
			_, err := n.Sum(ctx, collabdict.Summand{Values: make([]float64, length), Blocks: []collabdict.Block{{Len: length, Bound: 1}}})
			return err
		}) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	finish(t, nodes)
	for _, want := range []string{`this length: fold-in k=1" slot=2 rounds=3`, `this length: circulant" slot=3 rounds=4`} {
		if strings.Count(log.String(), want) != 1 {
			t.Errorf("the log does not have %q once:\n%s", want, &log)
		}
	}
}
