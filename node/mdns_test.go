package node

import (
	"fmt"
	"net"
	"os"
	"testing"
	"time"
)

// Members find each other on the local network without any address. The nodes of this test
// listen on all interfaces, since loopback has no multicast.
func TestMDNS(t *testing.T) {
	t.Parallel()
	if !hasMulticast() {
		t.Skip("no interface with multicast is up")
	}
	tag := fmt.Sprintf("collabdict-test-%d", os.Getpid())
	configs := testConfigs(t, 3)
	all := make([]*joining, len(configs))
	for i, c := range configs {
		c.MDNS, c.Listen, c.JoinTimeout = tag, []string{"/ip4/0.0.0.0/tcp/0"}, 8*time.Second
		all[i] = join(t, c)
	}
	var nodes []*Node
	for _, j := range all {
		end := j.wait(t)
		if _, late := end.err.(*JoinTimeoutError); late {
			t.Skip("multicast does not get through here")
		}
		if end.err != nil {
			t.Fatal(end.err)
		}
		nodes = append(nodes, end.node)
	}
	for _, err := range each(t, nodes, sum) {
		if err != nil {
			t.Error(err)
		}
	}
	finish(t, nodes)
}

func hasMulticast() bool {
	interfaces, err := net.Interfaces()
	if err != nil {
		return false
	}
	for _, i := range interfaces {
		if i.Flags&(net.FlagUp|net.FlagMulticast|net.FlagLoopback) == net.FlagUp|net.FlagMulticast {
			return true
		}
	}
	return false
}
