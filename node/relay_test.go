package node

import (
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/consensus"
)

// Two members that cannot dial each other make sums with all others through one that relays.
func TestMembersMeetThroughARelay(t *testing.T) {
	configs := testConfigs(t, 3)
	for i := range configs[1:] {
		configs[1+i].Announce = []string{"/ip4/127.0.0.1/tcp/1"} // where nobody listens
	}
	configs[0].Relay = true
	for i := range configs {
		configs[i].Settings.Scheme = consensus.Exact
	}
	listed(t, configs, len(configs))
	nodes := startAll(t, configs...)
	for round := range 3 {
		sums(t, nodes, 1+round, 10)
	}
	checkLogs(t, nodes, 2+3)
	var got []string
	for _, n := range nodes {
		for _, l := range n.Status().Links {
			if l.Via != "" {
				got = append(got, n.Status().Name+" "+l.Name+" through "+l.Via)
			}
		}
	}
	slices.Sort(got)
	if want := "m1 m2 through m0, m2 m1 through m0"; strings.Join(got, ", ") != want {
		t.Errorf("relayed connections: got %q, want %s", got, want)
	}
	finish(t, nodes)
}
