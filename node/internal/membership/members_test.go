package membership

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/node/internal/nodetest"
)

var settings = consensus.Settings{Step: session.Chebyshev, Graph: graph.HamiltonCycles, Degree: 4, Protect: chunking.Chunks}

// person returns a member with a new key.
func person(t *testing.T, name string) Member {
	t.Helper()
	_, id := nodetest.Key(t)
	return Member{Name: name, ID: id}
}

// An invalid change is refused when it is written, not when a quorum has decided it and nobody
// can apply it.
func TestChangesAreChecked(t *testing.T) {
	var founders []Member
	p := consensus.Params{Settings: settings}
	for _, name := range []string{"a", "b", "c", "d"} {
		founders = append(founders, person(t, name))
		p.Members = append(p.Members, name)
	}
	_, public, err := crypto.GenerateECDSAKeyPair(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	other := person(t, "e")
	if other.ID, err = peer.IDFromPublicKey(public); err != nil {
		t.Fatal(err)
	}
	back := founders[0]
	back.Name = "e"
	far := person(t, "e")
	far.Addrs = []string{"nowhere"}
	for want, changes := range map[string][]Change{
		"":                           {{Add: []Member{person(t, "e")}, Remove: []string{"a"}}, {Add: []Member{person(t, "a")}}},
		"that contains its key":      {{Add: []Member{other}}},
		"printable text":             {{Add: []Member{person(t, "e\n")}}},
		"a multiaddr":                {{Add: []Member{far}}},
		"no member has or had":       {{Remove: []string{"a"}}, {Add: []Member{back}}},
		"the name of a member":       {{Remove: []string{"a", "a"}}},
		"b is in the roster":         {{Add: []Member{person(t, "b")}}},
		"a change that the roster a": {{Remove: []string{"a", "b"}}},
	} {
		_, err := Amendments(p, founders, changes)
		var config *ConfigError
		if want == "" && err != nil || want != "" && (!errors.As(err, &config) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// An empty list of addresses means the same as no list.
func TestAddressesOfChanges(t *testing.T) {
	e := person(t, "e")
	p := consensus.Params{Settings: settings, Members: []string{"a", "b", "c"}}
	founders := []Member{person(t, "a"), person(t, "b"), person(t, "c")}
	var texts []string
	for _, addrs := range [][]string{nil, {}} {
		e.Addrs = addrs
		list, err := Amendments(p, founders, []Change{{Add: []Member{e}}})
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(list[0].Encode()))
	}
	if texts[0] != texts[1] {
		t.Errorf("%s, and %s", texts[0], texts[1])
	}
}

// The log may have an amendment that the list of members lacks, if the process ended between
// the two writes. The log then decides who has which rank.
func TestTheListOfMembersFollowsTheLog(t *testing.T) {
	dir := t.TempDir()
	st, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	r := store.Run{ID: [32]byte{1}, Founders: 3}
	p := consensus.Params{Settings: settings}
	var founders []Member
	for _, name := range []string{"a", "b", "c"} {
		m := person(t, name)
		founders = append(founders, m)
		r.Members = append(r.Members, store.Member{Name: name, ID: []byte(m.ID)})
		p.Members = append(p.Members, name)
	}
	j, err := st.Begin(r)
	if err != nil {
		t.Fatal(err)
	}
	d, e := person(t, "d"), person(t, "e")
	list, err := Amendments(p, founders, []Change{{Add: []Member{d}}, {Add: []Member{e}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range list {
		decision := &consensus.Decision{Slot: uint64(i), Kind: consensus.Amend, Blobs: [][]byte{a.Encode()}, Certificate: &consensus.Certificate{}}
		if err := j.Apply(nil, []*consensus.Decision{decision}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if j, err = st.Last(); err != nil {
			t.Fatal(err)
		}
		all, err := FromState(j, consensus.Params{Settings: settings})
		if err == nil {
			err = j.Extend(all.Stored())
		}
		if err != nil {
			t.Fatal(err)
		}
		if all.All[3].ID != d.ID || all.All[4].ID != e.ID {
			t.Errorf("members %v", all.Names())
		}
		if err := j.Reached(4, []string{"/ip4/127.0.0.1/tcp/1"}); err != nil {
			t.Fatal(err)
		}
	}
}
