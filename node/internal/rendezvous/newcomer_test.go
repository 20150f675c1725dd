package rendezvous

import (
	"errors"
	"testing"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// coming returns a newcomer to a run of the given founders, and a process that a later change
// adds.
func coming(t *testing.T, founders ...*other) (g *Rendezvous, later *other) {
	t.Helper()
	c := testConfig(t, 0, 0)
	later = newIdentity(t, "later")
	for _, o := range founders {
		c.Members = append(c.Members, o.member())
	}
	c.Changes = []membership.Change{{Add: []membership.Member{{Name: c.Name, ID: identity(t, c)}}}, {Add: []membership.Member{later.member()}}}
	g = opened(t, c)
	nc, err := g.cfg.newcomer(g.cfg.Host.ID())
	if err != nil || nc == nil {
		t.Fatal(nc, err)
	}
	g.newcomer = nc
	for _, o := range append(founders, later) {
		o.meets(g.registry)
	}
	return g, later
}

// shows adds a run with the first changes to the process's hello.
func (o *other) shows(t *testing.T, amendments int, entries ...wire.Entry) func(h *wire.Hello) {
	t.Helper()
	sign := o.signs(t, entries...)
	return func(h *wire.Hello) {
		sign(h)
		h.Refused, h.Amendments = "", nil
		for _, a := range o.m.newcomer.list[:amendments] {
			h.Amendments = append(h.Amendments, a.Encode())
		}
	}
}

// A quorum of the founders admits a newcomer. Neither strangers nor a single founder can end
// its part, or begin it in another run.
func TestANewcomerBelievesAQuorumOfFounders(t *testing.T) {
	invented := func(t *testing.T, liar *other, founders []*other) func(*wire.Hello) {
		entries := entriesOf(founders)
		for i := range entries {
			entries[i].Process[1]++
		}
		return liar.shows(t, 1, entries...)
	}
	for name, lie := range map[string]func(t *testing.T, liar *other, founders []*other) func(*wire.Hello){
		"empty":            func(*testing.T, *other, []*other) func(*wire.Hello) { return func(h *wire.Hello) { *h = wire.Hello{} } },
		"refused":          func(*testing.T, *other, []*other) func(*wire.Hello) { return refuses("x") },
		"refused for good": func(*testing.T, *other, []*other) func(*wire.Hello) { return refuses(OtherFolder) },
		"removed":          func(*testing.T, *other, []*other) func(*wire.Hello) { return refuses(WasRemoved) },
		"invented process": invented,
		"other members": func(t *testing.T, liar *other, f []*other) func(*wire.Hello) {
			return liar.shows(t, 1, entriesOf(f[:2])...)
		},
		"more changes": func(t *testing.T, liar *other, f []*other) func(*wire.Hello) {
			return liar.shows(t, 2, entriesOf(f)...)
		},
		"forged": func(t *testing.T, liar *other, f []*other) func(*wire.Hello) {
			return func(h *wire.Hello) {
				liar.shows(t, 1, entriesOf(f)...)(h)
				h.Signature[0]++
			}
		},
		"another amendment": func(t *testing.T, liar *other, f []*other) func(*wire.Hello) {
			show := liar.shows(t, 1, entriesOf(f)...)
			return func(h *wire.Hello) {
				show(h)
				h.Amendments = [][]byte{(&consensus.Amendment{Revision: 1, Removed: []uint32{0}}).Encode()}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			founders := identities(t, 4) // three of them are a quorum
			g, later := coming(t, founders...)
			stranger := newOther(t, g.registry, "stranger")
			for _, liar := range []*other{stranger, later, founders[0]} {
				liar.says(lie(t, liar, founders))
				g.waits(t, liar.name+" lies")
			}
			for _, liar := range []*other{stranger, later} {
				liar.meets(g.registry)
				liar.says(liar.shows(t, 1, entriesOf(founders)...))
			}
			for _, o := range founders[1:] {
				g.waits(t, "fewer than a quorum of the founders")
				if j, err := g.cfg.Store.Last(); j != nil || err != nil {
					t.Errorf("%v, %v on disk before a quorum has spoken", j, err)
				}
				o.says(o.shows(t, 1, entriesOf(founders)...))
			}
			_, agreed, failure := g.outcome()
			if failure != nil || !agreed {
				t.Fatalf("a quorum of the founders shows its run: %v, agreed %v", failure, agreed)
			}
			if g.newcomer.roster.Run() != membership.NewRoster(g.consortium, entriesOf(founders)).Run() {
				t.Error("joins another run than that of the founders")
			}
		})
	}
}

// The members that decide the change that adds a newcomer admit it: the founders, or the
// members that have replaced them by then.
func TestDecidingMembersAdmitANewcomer(t *testing.T) {
	c := testConfig(t, 0, 0)
	for _, o := range identities(t, 5) {
		c.Members = append(c.Members, o.member())
	}
	self, four := membership.Member{Name: c.Name, ID: identity(t, c)}, 4
	f, g := newIdentity(t, "f").member(), newIdentity(t, "g").member()
	for name, tc := range map[string]struct {
		changes []membership.Change
		names   string
		quorum  int
	}{
		"the founders":              {[]membership.Change{{Add: []membership.Member{self, f}}}, "abcde", 3},
		"those who are left":        {[]membership.Change{{Add: []membership.Member{self}, Remove: []string{"b"}}}, "acde", 3},
		"not those who come later":  {[]membership.Change{{Add: []membership.Member{self}}, {Add: []membership.Member{g}, Remove: []string{"c"}}}, "abcde", 3},
		"those who came before":     {[]membership.Change{{Add: []membership.Member{f, g}, Remove: []string{"a"}}, {Add: []membership.Member{self}}}, "bcdefg", 4},
		"by the rules of that time": {[]membership.Change{{Quorum: &four}, {Add: []membership.Member{self}}}, "abcde", 4},
	} {
		c.Changes = tc.changes
		n, err := c.newcomer(self.ID)
		if err != nil {
			t.Fatal(err)
		}
		names := ""
		for _, m := range n.members {
			if n.deciders[m.ID] {
				names += m.Name
			}
		}
		if names != tc.names || n.quorum != tc.quorum {
			t.Errorf("%s: %d of %q, want %d of %q", name, n.quorum, names, tc.quorum, tc.names)
		}
	}
}

// A newcomer whose agreement lacks changes that the members have made learns how many it has, and how
// many they have.
func TestANewcomerLacksLaterChanges(t *testing.T) {
	founders := identities(t, 3)
	g, _ := coming(t, founders...)
	later := g.newcomer.list
	g.newcomer.list = later[:1]
	for i, o := range founders[:2] {
		show := o.shows(t, 1, entriesOf(founders)...)
		o.says(func(h *wire.Hello) {
			show(h)
			h.Amendments = append(h.Amendments, later[1].Encode())
		})
		if i == 0 {
			g.waits(t, "one founder")
		}
	}
	_, _, failure := g.outcome()
	var differs *DisagreementError
	if !errors.As(failure, &differs) || differs.Own != "1" || differs.Theirs != "2" || differs.Fix == "" {
		t.Errorf("got %+v", failure)
	}
}

// A newcomer whose own folder has ended its part in the run gets an error that says so.
func TestANewcomerThatHasEndedIsToldSo(t *testing.T) {
	founders := identities(t, 3)
	g, _ := coming(t, founders...)
	r := membership.NewRoster(g.consortium, entriesOf(founders))
	run := store.Run{ID: r.Run(), Consortium: g.consortium, Founders: len(founders), Self: len(founders)}
	for _, e := range r.Entries {
		run.Members = append(run.Members, store.Member{Name: e.Name, ID: e.ID, Process: e.Process})
	}
	run.Members = append(run.Members, store.Member{Name: g.cfg.Name, ID: []byte(g.cfg.Host.ID())})
	st, err := g.cfg.Store.Begin(run)
	if err == nil {
		err = st.End("it ended with an error")
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range founders[:2] {
		o.says(refuses(OtherFolder))
	}
	_, _, failure := g.outcome()
	var ended *EndedError
	if !errors.As(failure, &ended) || ended.Name != g.cfg.Name {
		t.Errorf("got %v", failure)
	}
}

// A hello that cannot be read counts as one member's claim.
func TestAnUnreadableHelloIsOneClaim(t *testing.T) {
	founders := identities(t, 3)
	g, later := coming(t, founders...)
	for _, o := range []*other{newOther(t, g.registry, "stranger"), later, founders[0]} {
		g.refuse(o.id, &RosterError{Peer: o.name})
		g.waits(t, o.name)
	}
	g.refuse(founders[1].id, &RosterError{Peer: founders[1].name})
	if _, _, failure := g.outcome(); failure == nil {
		t.Error("the hellos of a quorum of the founders cannot be read, and it keeps waiting")
	}
}

// When the first member admits a newcomer, it asks the others at once. No later hello makes it
// do so again.
func TestANewcomerAsksTheOthersAtOnce(t *testing.T) {
	founders := identities(t, 4)
	g, _ := coming(t, founders...)
	for i, say := range []func(*wire.Hello){refuses("x"), founders[0].shows(t, 1, entriesOf(founders)...), nil} {
		news := g.news()
		founders[0].says(say)
		select {
		case <-news:
			if i != 1 {
				t.Errorf("hello %d makes it ask the others", i)
			}
		default:
			if i == 1 {
				t.Error("the hello that lets it in does not make it ask the others")
			}
		}
	}
}

// If no quorum can admit a newcomer any more, it ends with the reason.
func TestAQuorumOfFoundersEndsANewcomer(t *testing.T) {
	var (
		stranger *StrangerError
		differs  *DisagreementError
	)
	for name, tc := range map[string]struct {
		change func(h *wire.Hello)
		want   any
	}{
		"with another folder": {refuses(OtherFolder), &stranger},
		"removed":             {refuses(WasRemoved), &stranger},
		"other settings":      {func(h *wire.Hello) { h.Agreement[0].Value = "other" }, &differs},
	} {
		t.Run(name, func(t *testing.T) {
			founders := identities(t, 3)
			g, _ := coming(t, founders...)
			founders[0].says(tc.change)
			g.waits(t, "one founder")
			founders[1].says(tc.change)
			if _, _, failure := g.outcome(); failure == nil || !errors.As(failure, tc.want) {
				t.Errorf("got %v", failure)
			}
		})
	}
}
