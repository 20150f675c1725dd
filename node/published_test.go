package node

import (
	"bytes"
	"fmt"
	"testing"
)

// Each member knows, by rank, the bytes that every member has published before its learner
// began, even in a process that resumes the run.
func TestMembersPublish(t *testing.T) {
	t.Parallel()
	configs := testConfigs(t, 3)
	for i := range configs {
		configs[i].Publish = func(run [32]byte) []byte { return fmt.Appendf(nil, "m%d of %x", i, run[:4]) }
	}
	nodes := startAll(t, configs...)
	check := func(n *Node) {
		t.Helper()
		id := n.RunID()
		want := fmt.Appendf(nil, "m0 of %x,m1 of %[1]x,m2 of %[1]x", id[:4])
		if got := bytes.Join(n.Published(), []byte(",")); !bytes.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, n := range nodes {
		check(n)
	}
	nodes[2].Leave("it is started again")
	if err := nodes[2].Close(); err != nil {
		t.Fatal(err)
	}
	configs[2].Peers = nodes[0].Addrs()
	again := join(t, configs[2]).wait(t)
	if again.err != nil {
		t.Fatal(again.err)
	}
	check(again.node)
}
