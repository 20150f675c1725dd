package rendezvous

import (
	"errors"
	"strings"
	"testing"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// other is a process without a host whose hellos the registry receives.
type other struct {
	key  crypto.PrivKey
	id   peer.ID
	name string
	m    *registry
	wire.Hello
}

func newOther(t *testing.T, m *registry, name string) *other {
	t.Helper()
	o := newIdentity(t, name)
	o.meets(m)
	return o
}

// newIdentity returns a process with a new key that has met nobody.
func newIdentity(t *testing.T, name string) *other {
	t.Helper()
	key, _ := nodetest.Key(t)
	id, err := peer.IDFromPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return &other{key: key, id: id, name: name}
}

// meets connects the process to a registry, with the registry's agreement.
func (o *other) meets(m *registry) {
	o.m, o.Hello = m, wire.Hello{Name: o.name, Process: [32]byte{o.name[0]}}
	for _, f := range m.cfg.Agreement {
		o.Agreement = append(o.Agreement, wire.Field(f))
	}
}

func (o *other) member() membership.Member { return membership.Member{Name: o.name, ID: o.id} }

func (o *other) entry() wire.Entry {
	return wire.Entry{Name: o.name, ID: []byte(o.id), Process: o.Process}
}

// says sends the process's hello, after a change, to the registry.
func (o *other) says(change func(h *wire.Hello)) {
	o.Sequence++
	if change != nil {
		change(&o.Hello)
	}
	o.m.learn(o.id, o.Hello)
}

// signs adds a roster and its signature to the process's hello.
func (o *other) signs(t *testing.T, entries ...wire.Entry) func(h *wire.Hello) {
	t.Helper()
	r := membership.NewRoster(o.m.consortium, entries)
	signature, err := r.Sign(o.key)
	if err != nil {
		t.Fatal(err)
	}
	return func(h *wire.Hello) { h.Roster, h.Signature, h.Proposal = r.Entries, signature, r.Run() }
}

func newRegistry(t *testing.T) (*registry, wire.Entry) {
	t.Helper()
	g := opened(t, testConfig(t, 0, 3))
	return g.registry, wire.Entry{Name: g.cfg.Name, ID: []byte(g.cfg.Host.ID()), Process: g.process}
}

func (m *registry) outcome() (signed, agreed bool, failure error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.roster != nil, m.agreed, m.failure
}

func TestRosterIsSignedWhenAllProposeIt(t *testing.T) {
	m, self := newRegistry(t)
	a, b := newOther(t, m, "a"), newOther(t, m, "b")
	full := membership.NewRoster(m.consortium, []wire.Entry{self, a.entry(), b.entry()})
	a.says(nil)
	b.says(nil)
	if signed, _, _ := m.outcome(); signed {
		t.Fatal("signed before the others have met the same ones")
	}
	a.says(func(h *wire.Hello) { h.Proposal = full.Run() })
	b.says(func(h *wire.Hello) { h.Proposal = full.Run() })
	if signed, agreed, failure := m.outcome(); failure != nil || !signed || agreed {
		t.Fatalf("all propose one roster: %v, signed %v, agreed %v", failure, signed, agreed)
	}
	if stored, err := m.cfg.Store.Roster(m.process); err != nil || string(stored) != string(full.Canonical()) {
		t.Fatalf("stored roster: %q, %v", stored, err)
	}
	a.says(a.signs(t, full.Entries...))
	old := b.Hello
	b.says(b.signs(t, full.Entries...))
	if _, agreed, failure := m.outcome(); failure != nil || !agreed {
		t.Fatalf("all have signed: %v, agreed %v", failure, agreed)
	}
	m.learn(b.id, old) // overtaken by a later hello
	newOther(t, m, "late").says(nil)
	b.says(func(h *wire.Hello) { h.Process[0]++ })
	if _, agreed, failure := m.outcome(); failure != nil || !agreed {
		t.Errorf("latecomers changed the outcome: %v, agreed %v", failure, agreed)
	}
}

func TestRendezvousFails(t *testing.T) {
	var (
		stranger *StrangerError
		roster   *RosterError
	)
	for name, tc := range map[string]struct {
		hear func(t *testing.T, m *registry, self wire.Entry, a, b, c *other)
		want any
		says string
	}{
		"others have begun without it": {func(t *testing.T, m *registry, _ wire.Entry, a, b, c *other) {
			a.says(a.signs(t, a.entry(), b.entry(), c.entry()))
			m.waits(t, "one other")
			b.says(b.signs(t, a.entry(), b.entry(), c.entry()))
		}, &stranger, "have signed the roster without it"},
		"they are in a run with its earlier process": {func(t *testing.T, m *registry, self wire.Entry, a, b, _ *other) {
			self.Process[0]++
			a.says(a.signs(t, self, a.entry(), b.entry()))
			m.waits(t, "one other")
			b.says(b.signs(t, self, a.entry(), b.entry()))
		}, &roster, "earlier process"},
		"overlapping groups": {func(t *testing.T, m *registry, self wire.Entry, a, b, c *other) {
			full := membership.NewRoster(m.consortium, []wire.Entry{self, a.entry(), b.entry()})
			a.says(func(h *wire.Hello) { h.Proposal = full.Run() })
			b.says(func(h *wire.Hello) { h.Proposal = full.Run() })
			a.says(a.signs(t, self, a.entry(), c.entry()))
		}, &roster, "signed another roster"},
		"forged signature": {func(t *testing.T, m *registry, self wire.Entry, a, b, _ *other) {
			full := membership.NewRoster(m.consortium, []wire.Entry{self, a.entry(), b.entry()})
			a.says(func(h *wire.Hello) { h.Proposal = full.Run() })
			b.says(func(h *wire.Hello) { h.Proposal = full.Run() })
			a.says(b.signs(t, self, a.entry(), b.entry()))
		}, &roster, "has sent an invalid roster"},
		"started again while signing": {func(_ *testing.T, m *registry, self wire.Entry, a, b, _ *other) {
			full := membership.NewRoster(m.consortium, []wire.Entry{self, a.entry(), b.entry()})
			a.says(func(h *wire.Hello) { h.Proposal = full.Run() })
			b.says(func(h *wire.Hello) { h.Proposal = full.Run() })
			a.says(func(h *wire.Hello) { h.Process[0]++; h.Sequence = 0 })
		}, &roster, "has restarted"},
		"given up after signing": {func(_ *testing.T, m *registry, self wire.Entry, a, b, _ *other) {
			full := membership.NewRoster(m.consortium, []wire.Entry{self, a.entry(), b.entry()})
			a.says(func(h *wire.Hello) { h.Proposal = full.Run() })
			b.says(func(h *wire.Hello) { h.Proposal = full.Run() })
			b.says(func(h *wire.Hello) { h.Leaving = "no disk\nleft" })
		}, &roster, "no disk left"},
	} {
		t.Run(name, func(t *testing.T) {
			m, self := newRegistry(t)
			tc.hear(t, m, self, newOther(t, m, "a"), newOther(t, m, "b"), newOther(t, m, "c"))
			_, _, failure := m.outcome()
			if failure == nil || !errors.As(failure, tc.want) || !strings.Contains(failure.Error(), tc.says) {
				t.Errorf("got %v, want %q", failure, tc.says)
			}
		})
	}
}

// A removed process that starts anew receives the reason why it is refused.
func TestARemovedMemberReceivesTheReason(t *testing.T) {
	founders := &membership.Roster{Entries: []wire.Entry{{Name: "a", ID: []byte("a")}, {Name: "b", ID: []byte("b")}}}
	amendments := [][]byte{{'?'}, (&consensus.Amendment{Revision: 1, Removed: []uint32{1}}).Encode()}
	for id, want := range map[peer.ID]bool{"a": false, "b": true, "c": false} {
		if got := removes(amendments, founders, id); got != want {
			t.Errorf("%s: got %t, want %t", id, got, want)
		}
	}
}
