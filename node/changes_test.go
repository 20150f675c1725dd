package node

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/store"
)

// person returns a member with a key of its own.
func person(t *testing.T, name string) Member {
	t.Helper()
	_, public, err := crypto.GenerateEd25519Key(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id, err := peer.IDFromPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return Member{Name: name, ID: id}
}

// What a change may not say is refused when it is written, not when a quorum has
// decided it and nobody can follow.
func TestChangesAreChecked(t *testing.T) {
	var founders []Member
	p := consensus.Params{Settings: testConfig(t, 0, 4).Settings}
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
		"":                          {{Add: []Member{person(t, "e")}, Remove: []string{"a"}}, {Add: []Member{person(t, "a")}}},
		"that is made of its key":   {{Add: []Member{other}}},
		"printable text":            {{Add: []Member{person(t, "e\n")}}},
		"a multiaddr":               {{Add: []Member{far}}},
		"no member has or has had":  {{Remove: []string{"a"}}, {Add: []Member{back}}},
		"the name of a member":      {{Remove: []string{"a", "a"}}},
		"b is of the roster":        {{Add: []Member{person(t, "b")}}},
		"one that the roster can h": {{Remove: []string{"a", "b"}}},
	} {
		_, err := amendmentsOf(p, founders, changes)
		var config *ConfigError
		if want == "" && err != nil || want != "" && (!errors.As(err, &config) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Who wants a change that the committee of a large roster could not make is told so.
func TestAChangeThatWouldStrandTheCommitteeIsRefused(t *testing.T) {
	const size = 80
	settings := testConfig(t, 0, 4).Settings
	settings.Scheme = consensus.Exact
	p := consensus.Params{Settings: settings, Run: [32]byte{1}}
	all := &membership{params: &p}
	for i := range size {
		p.Members = append(p.Members, fmt.Sprintf("m%d", i))
		all.members = append(all.members, Member{Name: p.Members[i]})
	}
	m, err := consensus.New(p)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	j, err := st.Begin(store.Run{ID: [32]byte{1}, Founders: size})
	if err != nil {
		t.Fatal(err)
	}
	l := &loop{machine: m, start: time.Now(), roll: &roll{}, journal: j, send: func(consensus.Send) {}, log: slog.New(slog.DiscardHandler), told: told{plans: map[string]bool{}}}
	l.roll.Store(all)
	for most, want := range map[int]string{15: "", 16: "changes: number 1: want one that leaves a quorum to make it: remove fewer at a time, got removed members: want at most 15 of the 31 of the committee at a time, since the others must be a quorum, got 16"} {
		var gone []string
		for _, rank := range m.Rules().Committee[:most] {
			gone = append(gone, p.Members[rank])
		}
		list, err := amendmentsOf(p, all.members, []Change{{Remove: gone}})
		if err != nil {
			t.Fatal(err)
		}
		err = l.wish(list)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%v, want %s", err, want)
		}
		if wanted := m.Status().Wanted; len(wanted) > 0 != (want == "") {
			t.Errorf("to remove %d of the committee: %v is wanted", most, wanted)
		}
	}
}

// Two files say the same with an empty list of addresses and with none.
func TestAddressesOfChanges(t *testing.T) {
	e := person(t, "e")
	p := consensus.Params{Settings: testConfig(t, 0, 3).Settings, Members: []string{"a", "b", "c"}}
	founders := []Member{person(t, "a"), person(t, "b"), person(t, "c")}
	var texts []string
	for _, addrs := range [][]string{nil, {}} {
		e.Addrs = addrs
		list, err := amendmentsOf(p, founders, []Change{{Add: []Member{e}}})
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(list[0].Encode()))
	}
	if texts[0] != texts[1] {
		t.Errorf("%s, and %s", texts[0], texts[1])
	}
}

// The log may have an amendment that the list of members lacks: a process that was
// ended between the two. Each rank is who the log says.
func TestTheListOfMembersFollowsTheLog(t *testing.T) {
	dir := t.TempDir()
	st, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	settings := testConfig(t, 0, 3).Settings
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
	list, err := amendmentsOf(p, founders, []Change{{Add: []Member{d}}, {Add: []Member{e}}})
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
		all, err := newMembership(j, consensus.Params{Settings: settings})
		if err != nil {
			t.Fatal(err)
		}
		if all.members[3].ID != d.ID || all.members[4].ID != e.ID {
			t.Errorf("members %v", all.names())
		}
		if err := j.Reached(4, []string{"/ip4/127.0.0.1/tcp/1"}); err != nil {
			t.Fatal(err)
		}
	}
}
