//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// startMiniupnpd lets the router of a site behind NAT map ports by UPnP.
func startMiniupnpd(t *testing.T, site string) *process {
	t.Helper()
	router := "n" + site
	sh(t, router, `nft add table inet miniupnpd
		nft 'add chain inet miniupnpd forward'
		nft 'add chain inet miniupnpd mapped'
		nft 'add chain inet miniupnpd hidden'
		nft 'add chain inet miniupnpd pre { type nat hook prerouting priority -100; }'
		nft 'add rule inet miniupnpd pre jump mapped'`)
	dir := t.TempDir()
	config := filepath.Join(dir, "miniupnpd.conf")
	fatal(t, os.WriteFile(config, fmt.Appendf(nil, `ext_ifname=core
listening_ip=%s
port=5000
enable_upnp=yes
enable_natpmp=no
secure_mode=yes
upnp_table_name=miniupnpd
upnp_nat_table_name=miniupnpd
upnp_forward_chain=forward
upnp_nat_chain=mapped
upnp_nat_postrouting_chain=hidden
uuid=3ad0a1a6-6c9d-4d9c-9d2c-0c4dbd6e9f11
allow 1024-65535 192.168.1.0/24 1024-65535
deny 0-65535 0.0.0.0/0 0-65535
`, site), 0o600))
	p := newProcess(t, "miniupnpd")
	p.run(inSpace(router, "miniupnpd", "-d", "-f", config, "-P", filepath.Join(dir, "pid")))
	p.says("HTTP listening on port 5000", 10*time.Second)
	return &p
}

// A router maps ports for a member on request. Another member behind NAT, which cannot be dialled,
// dials it there. No member relays, and the run completes.
func TestMappedPorts(t *testing.T) {
	needs(t, "miniupnpd", "miniupnpd-nftables")
	symmetric := behindNAT("fully-random")
	n := newInternet(t, open, symmetric, symmetric)
	n.tell("delay 20ms")
	router := startMiniupnpd(t, "h2")
	h := hospitals()
	h[0].more = ""
	h[4].more = "map_ports: true"
	c := newConsortium(t, 40, h[0], h[4], h[5])
	c.start()
	last := c.members[2]
	last.says(`round 1/`, time.Minute)
	last.reaches(map[string]string{"h1": "", "h2": ""}, 10*time.Second)
	c.oneModel(2 * time.Minute)
	if !matches(`redirecting port \d+ to 192.168.1.2:4001 protocol TCP`, router.said()) {
		t.Errorf("the router has mapped no port:\n%s", router.said())
	}
}
