package rendezvous

import (
	"testing"

	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// A process for which it is too early meets the others and signs nothing, even if their
// clocks are ahead and they have signed. It signs when one says hello after the time.
func TestAClockThatIsBehind(t *testing.T) {
	all := identities(t, 2)
	g := listing(t, all...)
	early := true
	g.cfg.Early = func() bool { return early }
	entries := []wire.Entry{{Name: g.cfg.Name, ID: []byte(g.cfg.Host.ID()), Process: g.process}}
	for _, o := range all {
		entries = append(entries, o.entry())
		o.says(nil)
	}
	full := membership.NewRoster(g.consortium, entries)
	for _, o := range all {
		o.says(func(h *wire.Hello) { h.Proposal = full.Run() })
	}
	for _, o := range all {
		o.says(o.signs(t, full.Entries...))
	}
	g.waits(t, "all others have signed")
	if h := g.hello(all[0].id); g.roster != nil || h.Roster != nil || h.Proposal != full.Run() || g.done(all[0].id) {
		t.Errorf("it has signed %v, shows %d members and proposes the roster: %v", g.roster != nil, len(h.Roster), h.Proposal == full.Run())
	}
	early = false
	all[0].says(all[0].signs(t, full.Entries...))
	if _, agreed, failure := g.outcome(); failure != nil || !agreed || g.roster.Run() != full.Run() {
		t.Errorf("%v, agreed %v", failure, agreed)
	}
}
