package node

import (
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/chunking"
)

// A signature is valid only for its own members, agreement and signer.
func TestListsAreSigned(t *testing.T) {
	configs := testConfigs(t, 3)
	members := list(t, configs)
	c := configs[0]
	own, signature, err := SignList(c)
	if err != nil || own.Name != c.Name || !c.SignedBy(own, signature) {
		t.Fatalf("%v, %v, signed %v", own, err, c.SignedBy(own, signature))
	}
	if c.SignedBy(members[1], signature) || c.SignedBy(own, signature[1:]) || c.SignedBy(own, nil) || c.SignedBy(Member{ID: "x"}, signature) {
		t.Error("it is taken as another member's, or for a part of the list")
	}
	for name, change := range map[string]func(c *Config){
		"a field":      func(c *Config) { c.Agreement[1].Value = "0.2" },
		"a setting":    func(c *Config) { c.Settings.Protect = chunking.None },
		"a member":     func(c *Config) { c.Members = c.Members[1:] },
		"another name": func(c *Config) { c.Members[2].Name = "x" },
		"another key":  func(c *Config) { c.Members[2].ID = identity(t, Config{Dir: t.TempDir()}) },
	} {
		other := c
		other.Agreement, other.Members = slices.Clone(c.Agreement), slices.Clone(c.Members)
		if change(&other); other.SignedBy(own, signature) {
			t.Errorf("%s: the signature is valid for other content", name)
		}
	}
	other := c
	other.Changes, other.Name, other.Listen, other.Members = []Change{{Remove: []string{"m1"}}}, "x", nil, slices.Clone(c.Members)
	slices.Reverse(other.Members)
	if !other.SignedBy(own, signature) {
		t.Error("the signature is not valid for the same list in another order, or with changes")
	}

	stranger := c
	stranger.Dir = t.TempDir()
	if _, _, err := SignList(stranger); err == nil || !strings.Contains(err.Error(), "its key") {
		t.Errorf("a folder without a key: %v", err)
	}
	identity(t, stranger)
	if _, _, err := SignList(stranger); err == nil || !strings.Contains(err.Error(), "got a list without") {
		t.Errorf("a key that the list does not have: %v", err)
	}
}
