package node

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// Two members that cannot dial each other sum with all others through a member that relays.
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

// A restarted relay serves the others as before.
func TestARelayIsStartedAgain(t *testing.T) {
	configs := testConfigs(t, 4)
	for i := range configs[1:] {
		configs[1+i].Announce = []string{"/ip4/127.0.0.1/tcp/1"} // where nobody listens
	}
	configs[0].Relay, configs[0].Listen = true, []string{"/ip4/127.0.0.1/tcp/0"}
	for i := range configs {
		configs[i].Settings.Scheme = consensus.Exact
	}
	listed(t, configs, len(configs))
	first, stop := context.WithCancel(t.Context())
	addrs := make(chan []string, 1)
	configs[0].OnStatus = func(s Status) {
		select {
		case addrs <- s.Addrs:
		default:
		}
	}
	ended := make(chan error, 1)
	go func() { _, err := Join(first, configs[0]); ended <- err }()
	at := nodetest.Receive(t, addrs)
	configs[0].Listen = []string{strings.Split(at[0], "/p2p/")[0]} // the same port again
	var others []*joining
	met := make(chan struct{}, 1)
	for _, c := range configs[1:3] { // a fourth member is missing, so the run does not begin
		c.Peers = at
		c.OnStatus = func(s Status) {
			if len(s.Present) == 3 {
				select {
				case met <- struct{}{}:
				default:
				}
			}
		}
		others = append(others, join(t, c))
	}
	nodetest.Receive(t, met)
	stop()
	if err := nodetest.Receive(t, ended); err == nil {
		t.Fatal("the first process joins")
	}
	configs[0].OnStatus = nil
	again := join(t, configs[0])
	configs[3].Peers = at
	last := join(t, configs[3])
	nodes := make([]*Node, len(configs))
	for _, j := range append(others, again, last) {
		end := j.wait(t)
		if end.err != nil {
			t.Fatal(end.err)
		}
		nodes[end.node.Self()] = end.node
	}
	sums(t, nodes, 1, 10)
	finish(t, nodes)
}
