package node

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
)

func TestConfigIsRefused(t *testing.T) {
	id := identity(t, Config{Dir: t.TempDir()})
	for name, tc := range map[string]struct {
		change func(c *Config)
		want   string
	}{
		"no name":            {func(c *Config) { c.Name = "" }, `name: want 1 to 100 bytes of printable text, got ""`},
		"control code":       {func(c *Config) { c.Name = "a\nb" }, `got "a\nb"`},
		"not UTF-8":          {func(c *Config) { c.Name = "a\xff" }, `got "a\xff"`},
		"no folder":          {func(c *Config) { c.Dir = "" }, "dir: want a folder"},
		"nobody else":        {func(c *Config) { c.Expect = 1 }, "at least 2"},
		"two, chunks":        {func(c *Config) { c.Expect = 2 }, "at least 3"},
		"bad step":           {func(c *Config) { c.Settings.Step = "giant" }, "step"},
		"bad address":        {func(c *Config) { c.Listen = []string{"localhost:80"} }, "listen: want a multiaddr"},
		"bad peer":           {func(c *Config) { c.Peers = []string{"/ip4/1.2.3.4/tcp/1"} }, "peers: want a multiaddr with the peer's ID"},
		"bad durability":     {func(c *Config) { c.Durability = "tape" }, "durability: want disk or memory"},
		"negative heartbeat": {func(c *Config) { c.Heartbeat = -1 }, "of at least 0"},
		"field twice":        {func(c *Config) { c.Agreement = Agreement{{Name: "a", Value: "1"}, {Name: "a", Value: "2"}} }, "two fields named a"},
		"nobody's seats":     {func(c *Config) { c.Open = false }, "secret: want the secret that all members share"},
		"weak secret":        {func(c *Config) { c.Open, c.Secret = false, Secret("123456789012345") }, "want a secret of 128 to 512 bits, got 120"},
		"secret and open":    {func(c *Config) { c.Secret = Secret("1234567890123456") }, "open: want one of the two, not both"},
		"member twice": {func(c *Config) {
			c.Expect, c.Open, c.Members = 0, false, []Member{{Name: "a", ID: id}, {Name: "b", ID: id}, {Name: "c", ID: "x"}}
		}, "b twice"},
		"not listed": {func(c *Config) {
			c.Expect, c.Open = 0, false
			for _, name := range []string{"a", "b", "c"} {
				c.Members = append(c.Members, Member{Name: name, ID: identity(t, Config{Dir: t.TempDir()})})
			}
		}, "members: want the present list"},
		"other name": {func(c *Config) {
			c.Expect, c.Open, c.Name = 0, false, "z"
			for i, dir := range []string{c.Dir, t.TempDir(), t.TempDir()} {
				c.Members = append(c.Members, Member{Name: string(rune('a' + i)), ID: identity(t, Config{Dir: dir})})
			}
		}, "as in the list of members"},
	} {
		t.Run(name, func(t *testing.T) {
			c := testConfig(t, 0, 3)
			tc.change(&c)
			n, err := Join(t.Context(), c)
			if err == nil {
				n.Close()
				t.Fatal("joined")
			}
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %q, want the text %q", err, tc.want)
			}
		})
	}
}

func TestIdentityStays(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	first, second := identity(t, Config{Dir: dir}), identity(t, Config{Dir: dir})
	if first != second {
		t.Errorf("two identities, %s and %s", first, second)
	}
	path := filepath.Join(dir, identityFile)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v; want 0600", info.Mode(), err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Identity(dir); err == nil || !strings.Contains(err.Error(), "chmod 600 "+path) {
		t.Errorf("readable by all: got %v, want what to do", err)
	}
	if err := errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, []byte("key"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := Identity(dir); err == nil || !strings.Contains(err.Error(), "not an identity key") {
		t.Errorf("no key: got %v", err)
	}
}

// One address that cannot be used is an error even if others can.
func TestAllListenAddressesMustBeUsable(t *testing.T) {
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	c := testConfig(t, 0, 3)
	c.Listen = []string{fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", taken.Addr().(*net.TCPAddr).Port), "/ip4/127.0.0.1/udp/0/quic-v1"}
	_, err = Join(t.Context(), c)
	var setup *ConfigError
	if !errors.As(err, &setup) || setup.Field != "listen" {
		t.Errorf("%v, want one of the listen addresses", err)
	}
}

// A program that leaves out defaults can join members that write them out.
func TestDefaultsMayBeLeftOut(t *testing.T) {
	short := Config{Expect: 3, Settings: consensus.Settings{Protect: chunking.Chunks}}
	long := Config{Expect: 3, Settings: consensus.Settings{
		Scheme: consensus.Laplacian, Step: session.Chebyshev, Graph: graph.HamiltonCycles, Degree: 4, Tolerance: 1e-9,
		Protect: chunking.Chunks, Recover: consensus.FromShares, OnLoneReturn: consensus.AllowLoneReturn,
	}}
	a, b := short.complete(), long.complete()
	if a.ID() != b.ID() {
		t.Errorf("%v and %v disagree", a, b)
	}
}
