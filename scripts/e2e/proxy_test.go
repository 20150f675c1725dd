//go:build e2e && linux

package e2e

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/ops/operate"
)

// needs skips a test without a program that is in a Debian package.
func needs(t *testing.T, program, of string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is missing: apt-get install %s", program, of)
	}
}

// knows writes the names that a namespace resolves, as lines of /etc/hosts.
func knows(t *testing.T, space, lines string) {
	t.Helper()
	dir := filepath.Join("/etc/netns", prefix+space) // ip netns exec replaces files in /etc by those in this folder
	fatal(t, os.MkdirAll(dir, 0o755))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	fatal(t, os.WriteFile(filepath.Join(dir, "hosts"), []byte(lines), 0o644))
}

// links returns the relay through which a running member reaches each other member, or "" for a
// direct connection.
func (m *member) links() map[string]string {
	m.t.Helper()
	c, err := operate.NewClient(m.dir)
	fatal(m.t, err)
	s, err := c.Status(context.Background())
	fatal(m.t, err)
	via := map[string]string{}
	for _, l := range s.Node.Links {
		via[l.Name] = l.Via
	}
	return via
}

// reaches waits until a running member has the wanted connections.
func (m *member) reaches(want map[string]string, most time.Duration) {
	m.t.Helper()
	var got map[string]string
	if !eventually(most, func() bool { got = m.links(); return maps.Equal(got, want) }) {
		m.t.Fatalf("%s is connected as %v within %s, want %v:\n%s", m.name, got, most, want, m.said())
	}
}

// behindProxy returns a site in a private network without a route: its packets reach only a
// machine with a proxy.
func behindProxy(t *testing.T, name, address string) {
	t.Helper()
	proxy := "p" + name
	open(t, proxy, address)
	private(t, name, proxy)
}

// startTinyproxy runs a proxy that allows CONNECT to the given ports.
func startTinyproxy(t *testing.T, space string, ports ...int) *process {
	t.Helper()
	var text strings.Builder
	text.WriteString("Port 8888\nListen 192.168.1.1\nAllow 192.168.1.0/24\nTimeout 600\nLogLevel Info\n")
	for _, p := range ports {
		fmt.Fprintf(&text, "ConnectPort %d\n", p)
	}
	config := filepath.Join(t.TempDir(), "tinyproxy.conf")
	fatal(t, os.WriteFile(config, []byte(text.String()), 0o600))
	p := newProcess(t, "tinyproxy")
	p.run(inSpace(space, "tinyproxy", "-d", "-c", config))
	p.says("Accepting connections", 10*time.Second)
	return &p
}

// A site's only way out is CONNECT to ports 80 and 443, through a proxy that resolves the
// others' names; the site itself cannot. It connects with two members directly, and with one
// behind NAT through the relay.
func TestHTTPProxy(t *testing.T) {
	needs(t, "tinyproxy", "tinyproxy-bin")
	n := newInternet(t, open, open, behindProxy, behindNAT("fully-random"))
	n.tell("delay 20ms")
	h := hospitals()
	h[0].addrs = []string{"/ip4/20.20.0.1/tcp/4001", "/dns4/h1.example/tcp/443/tls/ws"}
	h[1].listen = append(h[1].listen, "/ip4/0.0.0.0/tcp/80/ws")
	h[1].addrs = append(h[1].addrs, "/dns4/h2.example/tcp/80/ws")
	const hosts = "127.0.0.1 localhost\n20.20.0.1 h1.example\n20.20.0.2 h2.example\n"
	knows(t, "ph3", hosts)
	knows(t, "h3", "127.0.0.1 localhost\n")
	knows(t, "h4", hosts)
	proxy := startTinyproxy(t, "ph3", 80, 443)
	c := newConsortium(t, 40, h[0], h[1], h[4], h[5])
	inside := c.members[2]
	inside.env = []string{"HTTPS_PROXY=http://192.168.1.1:8888", "HTTP_PROXY=http://192.168.1.1:8888"}
	c.start()
	inside.says(`round 1/`, time.Minute)
	inside.reaches(map[string]string{"h1": "", "h2": "", "h4": "h1"}, 20*time.Second)
	for _, request := range []string{`CONNECT h1.example:443`, `CONNECT h2.example:80`} {
		if !matches(request, proxy.said()) {
			t.Errorf("the proxy has no request %q:\n%s", request, proxy.said())
		}
	}
	c.oneModel(2 * time.Minute)
}
