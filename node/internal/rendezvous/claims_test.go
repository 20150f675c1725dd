package rendezvous

import (
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// identities returns processes named a, b, c and so on.
func identities(t *testing.T, n int) []*other {
	t.Helper()
	all := make([]*other, n)
	for i := range all {
		all[i] = newIdentity(t, string(rune('a'+i)))
	}
	return all
}

func entriesOf(others []*other) (entries []wire.Entry) {
	for _, o := range others {
		entries = append(entries, o.entry())
	}
	return entries
}

// listing returns a process with a list of members: itself and the given ones.
func listing(t *testing.T, others ...*other) *Rendezvous {
	t.Helper()
	c := testConfig(t, 0, 0)
	c.Members = []membership.Member{{Name: c.Name, ID: identity(t, c)}}
	for _, o := range others {
		c.Members = append(c.Members, o.member())
	}
	if len(c.Members) == 2 {
		c.Settings.Protect = chunking.None // two members cannot hide their vectors from each other
	}
	g := opened(t, c)
	for _, o := range others {
		o.meets(g.registry)
	}
	return g
}

// signing makes all given processes sign one roster with the process that they meet.
func signing(t *testing.T, g *Rendezvous, others ...*other) *membership.Roster {
	t.Helper()
	entries := []wire.Entry{{Name: g.cfg.Name, ID: []byte(g.cfg.Host.ID()), Process: g.process}}
	for _, o := range others {
		entries = append(entries, o.entry())
		o.says(nil)
	}
	full := membership.NewRoster(g.consortium, entries)
	for _, o := range others {
		o.says(func(h *wire.Hello) { h.Proposal = full.Run() })
	}
	for _, o := range others {
		o.says(o.signs(t, full.Entries...))
	}
	return full
}

// sign makes all given processes sign one roster with the process that they meet, and asserts
// that the run can begin.
func sign(t *testing.T, g *Rendezvous, others ...*other) {
	t.Helper()
	signing(t, g, others...)
	if _, agreed, failure := g.outcome(); failure != nil || !agreed {
		t.Fatalf("all have signed: %v, agreed %v", failure, agreed)
	}
}

func refuses(reason string) func(h *wire.Hello) {
	return func(h *wire.Hello) { h.Refused = reason }
}

func (m *registry) waits(t *testing.T, heard string) {
	t.Helper()
	if _, agreed, failure := m.outcome(); failure != nil || agreed {
		t.Errorf("%s: %v, agreed %v, want it to wait", heard, failure, agreed)
	}
}

// A refusal by a stranger never ends a start. Without a list of members no refusal does.
func TestOneRefusalEndsNoStart(t *testing.T) {
	t.Run("list", func(t *testing.T) {
		others := identities(t, 2)
		g := listing(t, others...)
		stranger := newOther(t, g.registry, "s")
		for _, change := range []func(*wire.Hello){refuses(WasRemoved), nil, func(h *wire.Hello) { *h = wire.Hello{Refused: "x"} }} {
			stranger.says(change)
			g.waits(t, "a stranger")
		}
		others[0].says(refuses(WasRemoved))
		g.waits(t, "one member's refusal")
		others[0].Refused = ""
		sign(t, g, others...)
	})
	t.Run("expect", func(t *testing.T) {
		g := opened(t, testConfig(t, 0, 3))
		for _, name := range []string{"s", "t", "u"} {
			newOther(t, g.registry, name).says(refuses(WasRemoved))
			g.waits(t, "a stranger's refusal")
		}
		sign(t, g, newOther(t, g.registry, "a"), newOther(t, g.registry, "b"))
	})
}

// A process with the secret is not a stranger. A start ends if the processes that refuse for
// good are enough to take all other places. A refusal because there are too many does not count:
// the surplus process is known only when a roster is signed.
func TestRefusalsOfThoseWithTheSecret(t *testing.T) {
	start := func(proven bool) (*Rendezvous, []*other, string) {
		c := testConfig(t, 0, 3)
		c.Proven = proven
		g := opened(t, c)
		var others []*other
		for _, name := range []string{"a", "b", "c"} {
			others = append(others, newOther(t, g.registry, name))
		}
		return g, others, notListed(g.cfg.Host.ID())
	}
	g, others, reason := start(true)
	for _, o := range others {
		o.says(refuses("does not let this node in: " + (&TooManyError{Want: 3}).Error()))
		g.waits(t, "refusals that pass")
	}
	others[0].says(refuses(reason))
	others[0].says(refuses(reason)) // a second time, which does not count again
	others[1].says(refuses(notListed(others[0].id)))
	g.waits(t, "one refusal, and one of another peer")
	others[1].says(refuses(reason))
	_, _, failure := g.outcome()
	var stranger *StrangerError
	if !errors.As(failure, &stranger) || stranger.Detail != reason {
		t.Errorf("two of two others refuse it: %v", failure)
	}
	g, others, reason = start(false)
	for _, o := range others {
		o.says(refuses(reason))
		g.waits(t, "refusals of anybody")
	}
}

// A hello that cannot be read is logged if its sender is listed or has the secret.
func TestUnreadableHellosAreLogged(t *testing.T) {
	for name, c := range map[string]struct {
		list, proven, named bool
	}{"open": {}, "secret": {proven: true, named: true}, "list": {list: true, named: true}} {
		var log strings.Builder
		config := testConfig(t, 0, 3)
		config.Proven, config.Log = c.proven, slog.New(slog.NewTextHandler(&log, nil))
		peer := identities(t, 1)[0]
		if c.list {
			config.Members = []membership.Member{{Name: config.Name, ID: identity(t, config)}, peer.member(), newIdentity(t, "b").member()}
		}
		g := opened(t, config)
		for range 2 {
			g.garbled(peer.id, errors.New("too short"))
		}
		if got := strings.Count(log.String(), "cannot read a member's hello"); got > 1 || got == 1 != c.named {
			t.Errorf("%s: named %d times, want %v: %s", name, got, c.named, log.String())
		}
	}
}

// A name that cannot be printed is refused, and never shown as it is, whatever this process does.
func TestNamesThatCannotBePrinted(t *testing.T) {
	const hidden = "m\u202e\x1b[2J\u200b"
	others := identities(t, 3)
	starting := testConfig(t, 0, 4)
	for _, o := range others {
		starting.Members = append(starting.Members, o.member())
	}
	starting.Members = append(starting.Members, membership.Member{Name: starting.Name, ID: identity(t, starting)})
	coming, _ := coming(t, others...)
	for what, g := range map[string]*Rendezvous{"starts": opened(t, starting), "resumes": returning(t, others...), "is new": coming} {
		var shown strings.Builder
		g.locked(func() {
			g.cfg.Log = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				shown.WriteString(a.Value.String())
				return a
			}}))
		})
		liar := others[0]
		liar.meets(g.registry)
		liar.says(func(h *wire.Hello) { h.Name = hidden })
		if got := shown.String(); got == "" || strings.ContainsAny(got, "\u202e\x1b\u200b") {
			t.Errorf("a process that %s: logs %q, want a warning without the name", what, got)
		}
		g.locked(func() {
			if g.records[liar.id] != nil {
				t.Errorf("a process that %s: has met a member without a name that can be printed", what)
			}
		})
		g.waits(t, "a name that cannot be printed")
	}
}

// Nobody joins a run with a name that cannot be printed.
func TestRostersWithNamesThatCannotBePrinted(t *testing.T) {
	m, self := newRegistry(t)
	a, b := newOther(t, m, "a"), newOther(t, m, "b\u202e")
	a.says(nil)
	a.says(a.signs(t, self, a.entry(), b.entry()))
	m.locked(func() {
		if m.records[a.id] != nil || m.roster != nil {
			t.Error("takes part with a member that has signed such a roster")
		}
	})
}

// If a quorum refuses a member, no quorum is left to admit it.
func TestAQuorumsRefusalEndsAStart(t *testing.T) {
	others := identities(t, 4)
	g := listing(t, others...)
	for i, o := range others[:3] {
		g.waits(t, "fewer than a quorum")
		o.says(refuses(WasRemoved))
		if i == 1 {
			o.says(refuses(WasRemoved)) // a second time, which does not count again
			g.waits(t, "two members, of whom one repeats it")
			o.says(func(h *wire.Hello) { h.Refused = "" }) // takes it back
			others[2].says(refuses(WasRemoved))
			g.waits(t, "two members and one that has taken it back")
			o.says(refuses(WasRemoved))
			break
		}
	}
	_, _, failure := g.outcome()
	var stranger *StrangerError
	if !errors.As(failure, &stranger) || stranger.Detail != WasRemoved {
		t.Errorf("a quorum refuses it: %v", failure)
	}
}

// returning returns a process that resumes a run that it has begun with others.
func returning(t *testing.T, others ...*other) *Rendezvous {
	t.Helper()
	g := listing(t, others...)
	entries := append(entriesOf(others), wire.Entry{Name: g.cfg.Name, ID: []byte(g.cfg.Host.ID()), Process: g.process})
	r := membership.NewRoster(g.consortium, entries)
	run := store.Run{ID: r.Run(), Consortium: g.consortium, Founders: len(r.Entries)}
	for rank, e := range r.Entries {
		if e.Name == g.cfg.Name {
			run.Self = rank
		}
		run.Members = append(run.Members, store.Member{Name: e.Name, ID: e.ID, Process: e.Process})
	}
	j, err := g.cfg.Store.Begin(run)
	var all *membership.Members
	if err == nil {
		all, err = membership.FromState(j, consensus.Params{Settings: g.cfg.Settings, Self: run.Self, Run: run.ID})
	}
	if err == nil {
		err = g.Adopt(j, membership.NewCurrent(all))
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// One member's word that the run is over ends nobody's part. The word of two does.
func TestTwoMembersReportThatTheRunIsOver(t *testing.T) {
	over := func(g *Rendezvous) func(h *wire.Hello) {
		return func(h *wire.Hello) { h.Over = g.proposed }
	}
	unfinished := func(t *testing.T, g *Rendezvous) {
		t.Helper()
		if j, err := g.cfg.Store.Last(); err != nil || j.Over != "" {
			t.Errorf("%v, over %q, want it unfinished", err, j.Over)
		}
	}
	others := identities(t, 4)
	g := returning(t, others...)
	newOther(t, g.registry, "stranger").says(over(g))
	for range 2 {
		others[0].says(over(g))
		g.waits(t, "one member")
		unfinished(t, g)
	}
	others[1].says(over(g))
	_, _, failure := g.outcome()
	var ended *OverError
	if !errors.As(failure, &ended) {
		t.Errorf("two members: %v, want an OverError", failure)
	}
	if j, err := g.cfg.Store.Last(); err != nil || j.Over == "" {
		t.Errorf("%v, %v, want the run to be over", j, err)
	}

	g = returning(t, others...)
	others[0].says(over(g))
	others[0].says(func(h *wire.Hello) { h.Over = [32]byte{} }) // takes it back
	others[1].says(over(g))
	g.waits(t, "one member, and one that has taken it back")
	others[2].says(func(h *wire.Hello) { h.Resume = g.proposed })
	if _, agreed, failure := g.outcome(); failure != nil || !agreed {
		t.Errorf("a member continues the run: %v, agreed %v", failure, agreed)
	}
	others[3].says(over(g))
	unfinished(t, g)
}

// In a run of two, the word of the only other member is enough.
func TestTheOnlyOtherMemberReportsThatTheRunIsOver(t *testing.T) {
	other := identities(t, 1)[0]
	g := returning(t, other)
	other.says(func(h *wire.Hello) { h.Over = g.proposed })
	_, _, failure := g.outcome()
	var ended *OverError
	if !errors.As(failure, &ended) {
		t.Errorf("got %v, want an OverError", failure)
	}
}

// Members that have restarted refuse a newcomer until they hear that it resumes the run. That is no
// claim about its folder, and nothing to warn of.
func TestMembersThatHaveNotHeardOfAResumedRun(t *testing.T) {
	var log strings.Builder
	others := identities(t, 4)
	g := returning(t, others...)
	g.cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	for _, o := range others {
		o.says(refuses(OtherFolder))
	}
	g.waits(t, "all refuse it")
	if log.Len() > 0 {
		t.Errorf("it warns:\n%s", &log)
	}
	others[0].says(func(h *wire.Hello) { h.Refused, h.Resume = "", g.proposed })
	if _, agreed, failure := g.outcome(); failure != nil || !agreed {
		t.Errorf("a member continues the run: %v, agreed %v", failure, agreed)
	}
}

// A member that was removed while it was away receives an error from the members that it knows.
func TestAQuorumRefusesARemovedMember(t *testing.T) {
	others := identities(t, 4)
	g := returning(t, others...)
	newOther(t, g.registry, "stranger").says(refuses(WasRemoved))
	for _, o := range others[:3] {
		g.waits(t, "fewer than a quorum")
		o.says(refuses(WasRemoved))
	}
	_, _, failure := g.outcome()
	var removed *consensus.RemovedError
	if !errors.As(failure, &removed) || removed.Revision != 1 {
		t.Errorf("a quorum: %v, want to be removed by change 1", failure)
	}
	if j, err := g.cfg.Store.Last(); err != nil || j.Over != "" {
		t.Errorf("%v, over %q, want it unfinished", err, j.Over)
	}
}
