package node

import (
	"fmt"
	"net"
	"testing"

	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// A probe finds a member that nobody can dial, since the member dials the others while the
// probe waits.
func TestAProbeWaitsToBeDialled(t *testing.T) {
	configs := testConfigs(t, 3)
	members := list(t, configs)
	for i := range configs {
		configs[i].Listen = []string{freePort(t)}
		members[i].Addrs = configs[i].Listen
	}
	configs[2].Announce = []string{"/ip4/127.0.0.1/tcp/1"} // where nobody listens
	members[2].Addrs = configs[2].Announce
	for _, c := range configs[1:] {
		nodetest.Receive(t, join(t, c).addrs)
	}
	answers, unreached, err := Probe(t.Context(), configs[0])
	if err != nil || len(answers) != 2 || len(unreached) > 0 {
		t.Fatalf("%d answers, %v, %v, want two and no pair", len(answers), unreached, err)
	}
	for _, p := range answers {
		if p.Err != nil || p.Via != "" {
			t.Errorf("%s: %v, %v, through %q, want a direct answer", p.Name, p.Err, p.Failures, p.Via)
		}
	}
}

// freePort returns an address of this machine with a free port.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", l.Addr().(*net.TCPAddr).Port)
}
