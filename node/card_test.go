package node

import (
	"strings"
	"testing"
)

// A card is valid only if it is complete and signed by its own member's key.
func TestCards(t *testing.T) {
	dir := t.TempDir()
	id := identity(t, Config{Dir: dir})
	columns := []string{"x", "temp"}
	m, signature, err := SignCard(dir, "plant-a", []string{"/ip4/10.0.0.1/tcp/1"}, columns)
	if err != nil || m.ID != id || CheckCard(m, columns, signature) != nil {
		t.Fatalf("%v, %+v, %v", err, m, CheckCard(m, columns, signature))
	}
	for name, change := range map[string]func(m *Member, columns *[]string){
		"a name":           func(m *Member, _ *[]string) { m.Name = "plant-b" },
		"a key":            func(m *Member, _ *[]string) { m.ID = identity(t, Config{Dir: t.TempDir()}) },
		"an address":       func(m *Member, _ *[]string) { m.Addrs = []string{"/ip4/10.0.0.1/tcp/2"} },
		"no address":       func(m *Member, _ *[]string) { m.Addrs = nil },
		"a column":         func(_ *Member, c *[]string) { *c = []string{"x", "y"} },
		"another order":    func(_ *Member, c *[]string) { *c = []string{"temp", "x"} },
		"a moved border":   func(_ *Member, c *[]string) { *c = []string{"xt", "emp"} },
		"a column as addr": func(m *Member, c *[]string) { m.Addrs, *c = append(m.Addrs, "x"), []string{"temp"} },
	} {
		other, of := m, columns
		change(&other, &of)
		if CheckCard(other, of, signature) == nil {
			t.Errorf("%s: the signature is valid for another card", name)
		}
	}
	if err := CheckCard(m, columns, nil); err == nil || !strings.Contains(err.Error(), "the card was altered or is incomplete") {
		t.Errorf("without a signature: %v", err)
	}
	if _, _, err := SignCard(t.TempDir(), "plant-a", nil, columns); err == nil {
		t.Error("a folder without a key has a card")
	}
	if _, _, err := SignCard(dir, "plant-a", []string{"10.0.0.1:1"}, columns); err == nil || !strings.Contains(err.Error(), "a multiaddr such as") {
		t.Errorf("an invalid address: %v", err)
	}
}

// ReachedAt returns the listening addresses. It leaves out ports not known yet, and replaces
// the address of all interfaces by those that exist.
func TestReachedAt(t *testing.T) {
	given := []string{"/ip4/10.0.0.1/tcp/4001", "/ip4/127.0.0.1/udp/4001/quic-v1", "/dns4/plant-a.example/tcp/4001"}
	got, err := ReachedAt(append([]string{"/ip4/10.0.0.1/tcp/0", "/ip4/0.0.0.0/udp/0/quic-v1"}, given...))
	if err != nil || strings.Join(got, " ") != strings.Join(given, " ") {
		t.Errorf("got %q, %v", got, err)
	}
	got, err = ReachedAt([]string{"/ip4/0.0.0.0/tcp/4001", "/ip6/::/tcp/4001"})
	for _, a := range got {
		if !strings.HasSuffix(a, "/tcp/4001") || strings.Contains(a, "/0.0.0.0/") || strings.Contains(a, "/127.0.0.1/") || strings.Contains(a, "/::/") || strings.Contains(a, "/::1/") {
			t.Errorf("another machine does not reach %s", a)
		}
	}
	if err != nil {
		t.Error(err)
	}
	if _, err := ReachedAt([]string{"4001"}); err == nil {
		t.Error("an invalid address")
	}
}
