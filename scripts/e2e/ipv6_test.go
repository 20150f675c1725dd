//go:build e2e && linux

package e2e

import (
	"fmt"
	"testing"
	"time"
)

// openIPv6 returns a site that all others reach, at an IPv6 address only.
func openIPv6(address string) func(t *testing.T, name, _ string) {
	return func(t *testing.T, name, _ string) {
		t.Helper()
		namespace(t, name)
		link(t, "core", name)
		sh(t, name, "ip -6 addr add "+address+"/64 dev core nodad")
	}
}

// walledIPv6 returns a site whose firewall lets in only replies, like most routers for IPv6.
func walledIPv6(address string) func(t *testing.T, name, _ string) {
	return func(t *testing.T, name, _ string) {
		t.Helper()
		openIPv6(address)(t, name, "")
		sh(t, name, `nft add table inet wall
			nft 'add chain inet wall in { type filter hook input priority 0; policy accept; }'
			nft 'add rule inet wall in iif core meta l4proto { tcp, udp } ct state new drop'`)
	}
}

// Four sites have no IPv4. One is known by its name, and one announces another address than it
// listens on. Two are behind firewalls and get a direct connection, because nothing translates
// their addresses.
func TestIPv6Only(t *testing.T) {
	address := func(i int) string { return fmt.Sprintf("2a0e:20:20::%d", i) }
	n := newInternet(t, openIPv6(address(1)), openIPv6(address(2)), walledIPv6(address(3)), walledIPv6(address(4)))
	n.tell("delay 20ms")
	listen := []string{"/ip6/::/tcp/4001", "/ip6/::/udp/4001/quic-v1"}
	sites := []site{
		{listen: listen, addrs: []string{"/dns6/h1.example/tcp/4001"}, more: "relay: true\nannounce: [/dns6/h1.example/tcp/4001, /dns6/h1.example/udp/4001/quic-v1]"},
		{listen: listen, addrs: []string{"/ip6/" + address(2) + "/tcp/4001", "/ip6/" + address(2) + "/udp/4001/quic-v1"}, more: "announce: [/ip6/" + address(2) + "/tcp/4001]"},
		{listen: listen},
		{listen: listen},
	}
	for i := range sites {
		knows(t, siteName(i), "::1 localhost\n"+address(1)+" h1.example\n")
	}
	c := newConsortium(t, 150, sites...)
	c.start()
	last := c.members[3]
	last.says(`round 1/`, time.Minute)
	last.reaches(map[string]string{"h1": "", "h2": "", "h3": ""}, 15*time.Second)
	c.oneModel(2 * time.Minute)
}
