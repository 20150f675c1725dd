package rendezvous

import (
	"cmp"
	"errors"
	"slices"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// crowd returns a process that expects size members and has no list, and others that say hello
// to it, in the order of their peer IDs.
func crowd(t *testing.T, size, others int) (*Rendezvous, []*other) {
	t.Helper()
	g := opened(t, testConfig(t, 0, size))
	all := make([]*other, others)
	for i := range all {
		all[i] = newOther(t, g.registry, string(rune('a'+i)))
	}
	slices.SortFunc(all, func(a, b *other) int { return cmp.Compare(a.id, b.id) })
	return g, all
}

func (m *registry) met() (ids []peer.ID) {
	for id := range m.records {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// If more processes come than there are places, those with the smallest peer IDs get them,
// whatever the order. The others receive the reason.
func TestTheSamePlacesInAnyOrder(t *testing.T) {
	g, all := crowd(t, 3, 4)
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}} {
		clear(g.records)
		clear(g.claims)
		for _, i := range order {
			all[i].says(nil)
		}
		g.waits(t, "four others for two places")
		if got := g.met(); !slices.Equal(got, []peer.ID{all[0].id, all[1].id}) {
			t.Errorf("order %v: %v have places", order, got)
		}
		for i, o := range all {
			if told := g.hello(o.id).Refused != ""; told != (i > 1) {
				t.Errorf("order %v: process %d is refused: %t", order, i, told)
			}
		}
	}
	sign(t, g, all[:2]...)
	if h := g.hello(all[3].id); h.Refused != "" || len(h.Roster) != 3 {
		t.Errorf("the surplus process receives %q and %d members, want the roster that was signed", h.Refused, len(h.Roster))
	}
}

// A disconnected process loses its place to one that comes.
func TestADisconnectedProcessLosesItsPlace(t *testing.T) {
	g, all := crowd(t, 3, 3)
	for _, o := range all[:2] {
		o.says(nil)
	}
	g.lose(all[0].id) // it has no connection
	all[2].says(nil)
	if got := g.met(); !slices.Equal(got, []peer.ID{all[1].id, all[2].id}) {
		t.Errorf("%v have places", got)
	}
}

// Once another process has signed the roster that all had proposed, a later process changes
// nothing, and one that has come in between loses its place again.
func TestASignedRosterIsChosen(t *testing.T) {
	g, all := crowd(t, 3, 3)
	late, a, b := all[0], all[1], all[2]
	self := wire.Entry{Name: g.cfg.Name, ID: []byte(g.cfg.Host.ID()), Process: g.process}
	full := membership.NewRoster(g.consortium, []wire.Entry{self, a.entry(), b.entry()})
	a.says(nil)
	b.says(nil)
	late.says(nil) // in the place of b
	invented := membership.NewRoster(g.consortium, []wire.Entry{self, a.entry(), {Name: "x", ID: []byte(b.id)}})
	a.says(a.signs(t, invented.Entries...))
	if g.chosen != nil {
		t.Fatal("a roster is chosen that this process has not proposed")
	}
	b.says(b.signs(t, full.Entries...))
	a.says(a.signs(t, full.Entries...))
	b.says(nil)
	if _, agreed, failure := g.outcome(); failure != nil || !agreed {
		t.Fatalf("%v, agreed %v", failure, agreed)
	}
	if g.roster.Run() != full.Run() {
		t.Error("the roster is not the one that the others have signed")
	}
}

// Strangers that say hello with other values, with none, or with the name of this process end
// nothing, as long as they are fewer than the other places.
func TestStrangersWithoutAListEndNothing(t *testing.T) {
	for name, change := range map[string]func(i int, h *wire.Hello){
		"empty":              func(_ int, h *wire.Hello) { *h = wire.Hello{} },
		"other values":       func(_ int, h *wire.Hello) { h.Agreement[1].Value = "2" },
		"each its own value": func(i int, h *wire.Hello) { h.Agreement[1].Value = string(rune('a' + i)) },
		"own name":           func(_ int, h *wire.Hello) { h.Name = "m0" },
		"refusals":           func(_ int, h *wire.Hello) { h.Refused = OtherFolder },
		"resumes":            func(_ int, h *wire.Hello) { h.Resume = [32]byte{1} },
		"over":               func(i int, h *wire.Hello) { h.Over, h.Agreement = [32]byte{1}, h.Agreement[:i%2] },
		"leaves":             func(_ int, h *wire.Hello) { h.Leaving = "x" },
	} {
		t.Run(name, func(t *testing.T) {
			g, all := crowd(t, 4, 7)
			many := 2
			if name != "empty" && name != "other values" {
				many = 4
			}
			for i, o := range all[:many] {
				o.says(func(h *wire.Hello) { change(i, h) })
				g.waits(t, name)
			}
			sign(t, g, all[4:]...)
		})
	}
}

// If enough others for all other places agree on different values, they are the run, and this
// process ends.
func TestAllOthersHaveAnotherValue(t *testing.T) {
	g, all := crowd(t, 4, 3)
	for i, o := range all {
		g.waits(t, "not yet all")
		o.says(func(h *wire.Hello) { h.Agreement[1].Value = "2" })
		if i == 1 {
			o.says(nil) // a second hello, which does not count again
		}
	}
	_, _, failure := g.outcome()
	var differs *DisagreementError
	if !errors.As(failure, &differs) || differs.Field != "rho" || differs.Own != `"0.1"` || differs.Theirs != `"2"` {
		t.Errorf("got %v, want rho to differ", failure)
	}
}

// A listed member with a different value counts as missing until it has the others' value. A
// quorum with different values ends this process.
func TestListedMembersWithOtherValues(t *testing.T) {
	others := identities(t, 4)
	g := listing(t, others...)
	right := others[0].Agreement[1].Value
	for _, o := range others[:2] {
		o.says(func(h *wire.Hello) { h.Agreement[1].Value = "2" })
		g.waits(t, "fewer than a quorum")
	}
	if len(g.records) != 0 || len(g.missing()) != 4 {
		t.Errorf("%d are met and %v are missing, want those with another value to be missing", len(g.records), g.missing())
	}
	for _, o := range others[:2] {
		o.says(func(h *wire.Hello) { h.Agreement[1].Value = right; h.Process[1]++ })
	}
	sign(t, g, others...)
	g = listing(t, others...)
	for _, o := range others[:3] {
		g.waits(t, "fewer than a quorum")
		o.says(func(h *wire.Hello) { h.Agreement[1].Value = "2" })
	}
	var differs *DisagreementError
	if _, _, failure := g.outcome(); !errors.As(failure, &differs) {
		t.Errorf("a quorum has another value: %v", failure)
	}
}

// The data that a process keeps of strangers is bounded.
func TestStrangersFillNothing(t *testing.T) {
	g, _ := crowd(t, 4, 0)
	most := g.peersMost()
	key, _ := nodetest.Key(t)
	for i := range 2 * most {
		id := peer.ID(append([]byte("stranger"), byte(i), byte(i>>8)))
		o := &other{key: key, id: id, name: "s"}
		o.meets(g.registry)
		o.says(func(h *wire.Hello) {
			h.Name, h.Process = id.String(), [32]byte{byte(i), byte(i >> 8)}
			switch i % 4 {
			case 0:
				h.Agreement[0].Value = h.Name
			case 1:
				h.Resume = [32]byte{1}
			case 2:
				h.Refused = "x"
			}
		})
	}
	for name, n := range map[string]int{"records": len(g.records) + 1, "claims": len(g.claims), "resuming": len(g.resuming), "warned": len(g.warned) - 1} {
		if n > most || name == "records" && n > 4 {
			t.Errorf("%s: %d entries of %d strangers", name, n, 2*most)
		}
	}
	g.waits(t, "many strangers")
}
