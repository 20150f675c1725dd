//go:build e2e && linux

package e2e

import (
	"strings"
	"testing"
	"time"
)

// hospitals returns six sites. All reach the first three. The first one relays and also listens
// on port 443. One has a firewall that lets only port 443 out, and two are behind NAT.
func hospitals() []site {
	public := func(i string) site {
		return site{
			listen: []string{"/ip4/0.0.0.0/tcp/4001", "/ip4/0.0.0.0/udp/4001/quic-v1"},
			addrs:  []string{"/ip4/20.20.0." + i + "/tcp/4001", "/ip4/20.20.0." + i + "/udp/4001/quic-v1"},
		}
	}
	first := public("1")
	first.listen = append(first.listen, "/ip4/0.0.0.0/tcp/443/tls/ws")
	first.addrs = append(first.addrs, "/ip4/20.20.0.1/tcp/443/tls/ws")
	first.more = "relay: true"
	hidden := site{listen: []string{"/ip4/0.0.0.0/tcp/4001", "/ip4/0.0.0.0/udp/4001/quic-v1"}}
	return []site{first, public("2"), public("3"), hidden, hidden, hidden}
}

// Two of six sites are behind NATs that give each connection another port, and one has only
// port 443. A round trip takes 200 ms, and 1 % of the packets are lost. The run completes, and
// the status lists the pairs that are connected through the relay.
func TestBehindNATAndFirewalls(t *testing.T) {
	symmetric := behindNAT("fully-random")
	n := newInternet(t, open, open, open, webOnly, symmetric, symmetric)
	n.tell("delay 100ms")
	n.tell("loss 0.01")
	c := newConsortium(t, 20, hospitals()...)
	for _, m := range c.members {
		m.start()
	}
	c.members[5].says(`h[45] is reached through h1`, 2*time.Minute)
	c.members[3].says(`h[2356] is reached through h1`, 2*time.Minute)
	c.oneModel(5 * time.Minute)
}

// Without a relay, two sites behind NAT do not meet. All members report which pairs are not
// connected, why, and what to do.
func TestNobodyRelays(t *testing.T) {
	symmetric := behindNAT("fully-random")
	n := newInternet(t, open, open, symmetric, symmetric)
	n.tell("delay 20ms")
	h := hospitals()
	h[0].more = ""
	c := newConsortium(t, 5, h[0], h[1], h[4], h[5])
	for _, m := range c.members {
		m.start()
	}
	const why = `h3 and h4 do not reach each other: nobody reaches either of them directly (NAT or firewall), and no member relays; set relay: true in the node.yaml of a member`
	for _, m := range c.members {
		m.says(why, time.Minute)
	}
	c.members[0].says(`4 of 4 members are here: .*`+why, time.Minute)
	c.members[0].kill()
	c.members[0].write("node.yaml", c.members[0].nodeYAML(h[0], "relay: true"))
	c.members[0].start()
	c.oneModel(2 * time.Minute)
}

// Behind NATs that keep ports, two sites get a direct connection, whether or not they were
// connected through the relay before.
func TestHolesArePunched(t *testing.T) {
	n := newInternet(t, open, open, behindNAT(""), behindNAT(""))
	n.tell("delay 20ms")
	h := hospitals()
	c := newConsortium(t, 100, h[0], h[1], h[4], h[5])
	for _, m := range c.members {
		m.start()
	}
	c.oneModel(3 * time.Minute)
	said := c.members[2].said()
	if strings.LastIndex(said, "h4 is reached through") > strings.LastIndex(said, "h4 is reached directly") {
		t.Errorf("the two sites behind NAT stay connected through the relay:\n%s", said)
	}
}
