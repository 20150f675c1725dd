package rendezvous

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// Before the time of the run, a process meets the others and signs nothing, even if their
// clocks are ahead and they have signed. It signs at the first hello after the time.
func TestAClockThatIsBehind(t *testing.T) {
	all := identities(t, 2)
	g := listing(t, all...)
	early := time.Minute
	g.cfg.Early = func() time.Duration { return early }
	full := signing(t, g, all...)
	g.waits(t, "all others have signed")
	if h := g.hello(all[0].id); g.roster != nil || h.Roster != nil || h.Proposal != full.Run() || g.done(all[0].id) {
		t.Errorf("it has signed %v, shows %d members and proposes the roster: %v", g.roster != nil, len(h.Roster), h.Proposal == full.Run())
	}
	early = 0
	all[0].says(all[0].signs(t, full.Entries...))
	if _, agreed, failure := g.outcome(); failure != nil || !agreed || g.roster.Run() != full.Run() {
		t.Errorf("%v, agreed %v", failure, agreed)
	}
}

// Members that have met and wait for hours say hello seldom, and say it again at the time of
// the run.
func TestHellosBeforeTheTime(t *testing.T) {
	for _, c := range []struct{ last, early, want time.Duration }{
		{visitFirst, 0, 2 * visitFirst},
		{visitMost, 0, visitMost},
		{visitMost, -time.Hour, visitMost},
		{visitMost, time.Hour, 2 * visitMost},
		{visitEarly, time.Hour, visitEarly},
		{visitEarly, 5 * time.Second, 5 * time.Second},
		{visitEarly, time.Second, visitMost},
	} {
		if got := pause(c.last, c.early); got != c.want {
			t.Errorf("after a pause of %v, %v before the time: %v, want %v", c.last, c.early, got, c.want)
		}
	}
	all := identities(t, 2)
	g := listing(t, all...)
	g.cfg.Early = func() time.Duration { return time.Hour }
	all[0].says(nil)
	if met, other := g.rest(all[0].id), g.rest(all[1].id); met != time.Hour || other != 0 {
		t.Errorf("rest of %v for a member that is met and of %v for another, want 1h and 0", met, other)
	}
	g.lose(all[0].id)
	if lost := g.rest(all[0].id); lost != 0 {
		t.Errorf("rest of %v for a member that is lost, want 0", lost)
	}
	rapid.Check(t, func(t *rapid.T) {
		early := time.Duration(rapid.Int64Range(0, int64(100*time.Hour)).Draw(t, "early"))
		hellos, left := 0, early
		for last := visitFirst; left > 0; hellos++ {
			last = pause(last, left)
			left -= last
		}
		if most := 10 + int(early/visitEarly); -left > visitMost || hellos > most {
			t.Errorf("%v before the time: %d hellos, want at most %d; one comes %v after it", early, hellos, most, -left)
		}
	})
}
