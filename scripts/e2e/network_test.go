//go:build e2e && linux

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// program is the program under test.
var program string

func TestMain(m *testing.M) {
	if is, err := helper(); is {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if os.Geteuid() != 0 {
		fmt.Fprintln(os.Stderr, "network namespaces need root: run make e2e as root")
		return 1
	}
	for _, tool := range []string{"ip", "nft"} {
		if _, err := exec.LookPath(tool); err != nil {
			fmt.Fprintf(os.Stderr, "%s is missing: install iproute2 and nftables\n", tool)
			return 1
		}
	}
	dir, err := os.MkdirTemp("", "collabdict-e2e-")
	if err == nil {
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "collabdict")
		err = build(program)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// build compiles the program with flags of go build.
func build(to string, flags ...string) error {
	cmd := exec.Command("go", slices.Concat([]string{"build", "-o", to}, flags, []string{"github.com/collabdict/collabdict/cmd/collabdict"})...)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// internet is a network of sites. Each site is a namespace whose uplink is a port of the hub,
// with a public address.
type internet struct {
	t     *testing.T
	in    io.Writer
	lines *bufio.Scanner
}

const prefix = "cde2e-"

// newInternet creates the namespaces of sites, named h1, h2, … with the addresses 20.20.0.1,
// 20.20.0.2, …. Each function sets up one site before the hub starts.
func newInternet(t *testing.T, sites ...func(t *testing.T, name, address string)) *internet {
	t.Helper()
	n := &internet{t: t}
	namespace(t, "core")
	for i, setUp := range sites {
		setUp(t, siteName(i), fmt.Sprintf("20.20.0.%d", i+1))
	}
	hub := startHelper(t, "core", "hub")
	n.in, n.lines = hub.in, hub.lines
	return n
}

// helperProcess is a process of this test binary in a namespace.
type helperProcess struct {
	in    io.Writer
	lines *bufio.Scanner
	end   func()
}

// startHelper starts the helper process what, and waits until it is ready. The process ends
// with the test at the latest.
func startHelper(t *testing.T, space, what string) *helperProcess {
	t.Helper()
	cmd := exec.Command("ip", "netns", "exec", prefix+space, os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), "COLLABDICT_E2E="+what), os.Stderr
	in, err := cmd.StdinPipe()
	fatal(t, err)
	out, err := cmd.StdoutPipe()
	fatal(t, err)
	fatal(t, cmd.Start())
	p := &helperProcess{in, bufio.NewScanner(out), sync.OnceFunc(func() { in.Close(); _ = cmd.Wait() })}
	t.Cleanup(p.end)
	if !p.lines.Scan() || p.lines.Text() != "ready" {
		t.Fatalf("the process %s says %q, want ready", what, p.lines.Text())
	}
	return p
}

// lasts returns the length of a scenario: the value of an environment variable, or the default.
func lasts(t *testing.T, variable string, usual time.Duration) time.Duration {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		t.Logf("for %s; %s=30m makes it longer", usual, variable)
		return usual
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return d
}

func siteName(i int) string { return fmt.Sprintf("h%d", i+1) }

// tell sends the hub a command.
func (n *internet) tell(command string) {
	n.t.Helper()
	_, err := fmt.Fprintln(n.in, command)
	fatal(n.t, err)
	n.answered("done")
}

func (n *internet) answered(want string) {
	n.t.Helper()
	if !n.lines.Scan() || n.lines.Text() != want {
		n.t.Fatalf("the hub says %q, want %q", n.lines.Text(), want)
	}
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sh runs shell commands in a namespace.
func sh(t *testing.T, space, lines string) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		if b, err := exec.Command("ip", "netns", "exec", prefix+space, "sh", "-c", line).CombinedOutput(); err != nil {
			t.Fatalf("%s: %s: %v: %s", space, line, err, b)
		}
	}
}

// namespace creates an empty network namespace, until the test ends.
func namespace(t *testing.T, name string) {
	t.Helper()
	_ = exec.Command("ip", "netns", "del", prefix+name).Run() // left by a killed test
	if b, err := exec.Command("ip", "netns", "add", prefix+name).CombinedOutput(); err != nil {
		t.Fatalf("ip netns add: %v: %s", err, b)
	}
	t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", prefix+name).Run() })
	sh(t, name, "ip link set lo up")
}

// link connects two namespaces. Each end has the name of the other namespace.
func link(t *testing.T, a, b string) {
	t.Helper()
	if out, err := exec.Command("ip", "link", "add", b, "netns", prefix+a, "type", "veth", "peer", "name", a, "netns", prefix+b).CombinedOutput(); err != nil {
		t.Fatalf("ip link add: %v: %s", err, out)
	}
	for _, end := range [][2]string{{a, b}, {b, a}} {
		sh(t, end[0], "ip link set "+end[1]+" up")
		plain := exec.Command("ip", "netns", "exec", prefix+end[0], os.Args[0])
		plain.Env = append(os.Environ(), "COLLABDICT_E2E=plain")
		if out, err := plain.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", end[0], err, out)
		}
	}
}

// open sets up a site that all others reach.
func open(t *testing.T, name, address string) {
	t.Helper()
	namespace(t, name)
	link(t, "core", name)
	sh(t, name, "ip addr add "+address+"/16 dev core")
}

// webOnly sets up a site whose firewall lets out only TCP to port 443, and nothing in.
func webOnly(t *testing.T, name, address string) {
	t.Helper()
	open(t, name, address)
	sh(t, name, `nft add table inet wall
		nft 'add chain inet wall in { type filter hook input priority 0; policy drop; }'
		nft 'add chain inet wall out { type filter hook output priority 0; policy drop; }'
		nft add rule inet wall in ct state established,related accept
		nft add rule inet wall in iif lo accept
		nft add rule inet wall out ct state established,related accept
		nft add rule inet wall out oif lo accept
		nft add rule inet wall out tcp dport 443 accept`)
}

// behindNAT returns a site in a private network behind a router. The router assigns each
// connection a port as the options of masquerade say, and lets in only connections to mapped
// ports.
func behindNAT(masquerade string) func(t *testing.T, name, address string) {
	return func(t *testing.T, name, address string) {
		t.Helper()
		router := "n" + name
		open(t, router, address)
		private(t, name, router)
		sh(t, router, `sysctl -qw net.ipv4.ip_forward=1
			nft add table ip nat
			nft 'add chain ip nat post { type nat hook postrouting priority 100; }'
			nft add rule ip nat post oif core masquerade `+masquerade+`
			nft add table inet wall
			nft 'add chain inet wall forward { type filter hook forward priority 0; policy accept; }'
			nft 'add rule inet wall forward ct status dnat accept'
			nft 'add rule inet wall forward iif core ct state new drop'
			nft 'add chain inet wall in { type filter hook input priority 0; policy accept; }'
			nft 'add rule inet wall in iif core ct state new meta l4proto { tcp, udp } drop'`)
		sh(t, name, "ip route add default via 192.168.1.1")
	}
}

// private sets up a site in a private network with another namespace, which has an uplink.
func private(t *testing.T, name, with string) {
	t.Helper()
	namespace(t, name)
	link(t, with, name)
	sh(t, with, "ip addr add 192.168.1.1/24 dev "+name)
	sh(t, name, "ip addr add 192.168.1.2/24 dev "+with)
}
