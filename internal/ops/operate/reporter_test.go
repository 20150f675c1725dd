package operate

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

// A teller gives a reporter the statuses of a running member.
type teller struct {
	*Reporter
	at time.Time
}

func newTeller(terminal bool) *teller { return &teller{NewReporter(terminal, false), noon} }

// next returns the texts of the lines for a status of the node at a time after the last one.
func (t *teller) next(after time.Duration, n node.Status) string {
	t.at = t.at.Add(after)
	return texts(t.Next(&Status{Phase: Running, At: t.at, Began: noon, Since: noon, Node: &n}))
}

func texts(lines []Line) string {
	var all []string
	for _, l := range lines {
		all = append(all, l.Text)
	}
	return strings.Join(all, "\n")
}

func TestWaitsAreReported(t *testing.T) {
	r := newTeller(false)
	for slot, took := range []int{1, 1, 9, 1} { // one waited for a lost member
		if got := r.next(time.Second, node.Status{Slot: uint64(slot + 1), LastTook: time.Duration(took) * 100 * time.Millisecond}); got != "" {
			t.Errorf("said %q", got)
		}
	}
	waiting := node.Status{Slot: 4, LastTook: 9 * time.Second, Want: 3, Least: 3, Waiting: []node.Waiting{{Name: "b", For: 5 * time.Second}}}
	paused := waiting
	paused.Paused, paused.Absent = true, []node.Absent{{Name: "b", Lost: true}, {Name: "c", Lost: true}, {Name: "d"}}
	one := paused
	one.Want, one.Least = 4, 3
	agreed := one
	agreed.PausedBy, agreed.Quorum = 2, 3
	for i, c := range []struct {
		after time.Duration
		s     node.Status
		want  string
	}{
		{0, waiting, "waiting for b 5s (usual 100ms)"},
		{0, waiting, ""},
		{sayEvery, waiting, "waiting for b 5s (usual 100ms)"},
		{0, paused, "paused: 1 of the 3 members needed are connected; waiting for b, c"},
		{0, paused, ""},
		{sayEvery, one, "paused: 2 of the 3 members needed are connected; waiting for 1 of b, c; for 12s now"},
		{0, node.Status{Slot: 5}, "resumed: enough members are connected"},
		{sayEvery, node.Status{Slot: 5}, ""},
		{0, paused, "paused: 1 of the 3 members needed are connected; waiting for b, c"},
		{0, agreed, "paused by agreement, change 2: the run continues when 3 members have a change with resume: true"},
		{sayEvery, agreed, ""},
		{0, one, "paused: 2 of the 3 members needed are connected; waiting for 1 of b, c"},
		{0, agreed, "paused by agreement, change 2: the run continues when 3 members have a change with resume: true"},
		{0, node.Status{Slot: 6}, "resumed: the members have agreed to continue"},
	} {
		if got := r.next(c.after+time.Second, c.s); got != c.want {
			t.Errorf("%d: said %q, want %q", i, got, c.want)
		}
	}
}

// A long sum reports its progress with every status on a terminal, and at intervals elsewhere, with
// the members that it waits for if it stands still. A short sum reports nothing.
func TestLongSumsAreReported(t *testing.T) {
	far := func(bytes int64, waiting ...node.Waiting) node.Status {
		return node.Status{Slot: 7, Call: "sum", Come: node.Come{Bytes: bytes, BytesInAll: 14_000_000}, Waiting: waiting}
	}
	b := node.Waiting{Name: "b", For: 100 * time.Millisecond}
	stuck := node.Waiting{Name: "b", For: 12 * time.Second, Usual: time.Second}
	type step struct {
		at   time.Duration // after the first status
		s    node.Status
		want string
	}
	for terminal, steps := range map[bool][]step{
		true: {
			{0, far(0), ""},
			{sayAfter - 1, far(1_000_000, b), ""},
			{sayAfter, far(6_100_000, b), "sum 44 %, 6.1 of 14.0 MB"},
			{sayAfter + time.Second, far(6_200_000, stuck), "sum 44 %, 6.2 of 14.0 MB; waiting for b 12s"},
		},
		false: {
			{0, far(0), ""},
			{sayAfter, far(1_400_000), "sum 10 %, 1.4 of 14.0 MB"},
			{sayAfter + time.Second, far(2_800_000), ""},
			{sayAfter + sayEvery, far(7_000_000), "sum 50 %, 7.0 of 14.0 MB"},
			{sayAfter + sayEvery + time.Second, far(8_000_000), ""},
			{sayAfter + 2*sayEvery, far(14_000_000), "sum 100 %, 14.0 of 14.0 MB"},
		},
	} {
		r := newTeller(terminal)
		for _, step := range steps {
			if got := r.next(noon.Add(step.at).Sub(r.at), step.s); got != step.want {
				t.Errorf("terminal %t, after %s: said %q, want %q", terminal, step.at, got, step.want)
			}
		}
	}
	r := newTeller(true)
	for range 20 {
		if got := r.next(time.Second, node.Status{Call: "sum", Come: node.Come{Bytes: 1000, BytesInAll: 5000}}); got != "" {
			t.Errorf("said %q of a short sum", got)
		}
	}
}

// A completed round ends a pause, even if no status has seen the run continue.
func TestARoundEndsAPause(t *testing.T) {
	r := newTeller(false)
	r.next(0, node.Status{})
	r.next(time.Second, node.Status{Paused: true, Want: 3, Least: 2, Absent: []node.Absent{{Name: "b", Lost: true}, {Name: "c", Lost: true}}})
	got := texts(r.Next(&Status{
		Phase: Running, At: r.at.Add(time.Second), Round: 1, Rounds: 9, Node: &node.Status{},
		Last: &Round{Loss: report.Of(2), Members: 3},
	}))
	if want := "resumed: enough members are connected\nround 1/9  loss 2 per row  3 participants"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if got := r.next(2*time.Second, node.Status{}); got != "" {
		t.Errorf("said %q again", got)
	}
}

// Members that leave the sums, or come back, are reported when the round has ended.
func TestMembersOfSumsAreReported(t *testing.T) {
	r := NewReporter(false, false)
	silent := node.Absent{Name: "b", Reason: "nothing heard for 8s", Lost: true}
	var got []string
	for i, n := range []node.Status{
		{Name: "c"},
		{Name: "c", Members: []string{"a", "b", "c"}, Absent: []node.Absent{silent}}, // lost since the last sum
		{Name: "c", Members: []string{"a", "c"}, Absent: []node.Absent{silent}},
		{Name: "c", Members: []string{"a"}, Absent: []node.Absent{silent, {Name: "c", Reason: "catching up"}}},
		{Name: "c", Members: []string{"a", "b", "c"}},
		{Name: "c", Members: []string{"a", "c"}, Absent: []node.Absent{silent}},
		{Name: "c", Members: []string{"a", "c"}}, // b was removed
		{Name: "c", Members: []string{"a", "c"}, Absent: []node.Absent{{Name: "d", Reason: "catching up"}}},
		{Name: "c", Members: []string{"a", "c", "d"}},
	} {
		for _, l := range r.Next(&Status{Phase: Running, At: noon, Began: noon, Since: noon, Round: i, Node: &n}) {
			got = append(got, l.Text)
		}
	}
	want := []string{
		"without b from now on: nothing heard for 8s", "without this member from now on: catching up", "with b again", "with this member again",
		"without b from now on: nothing heard for 8s", "without d from now on: catching up", "with d again",
	}
	if !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
}

// Members whose statistics are held back are reported when they change, with the number that ends
// it.
func TestHeldStatisticsAreReported(t *testing.T) {
	r := newTeller(false)
	for _, c := range []struct {
		s    node.Status
		want string
	}{
		{node.Status{}, ""},
		{node.Status{Held: []string{"e"}, HeldUntil: 2}, "the statistics of e are held back until 2 more come: alone, they would show in the total"},
		{node.Status{Held: []string{"e"}, HeldUntil: 2}, ""},
		{node.Status{Held: []string{"d", "e"}, HeldUntil: 1}, "the statistics of d, e are held back until 1 more comes: alone, they would show in the total"},
		{node.Status{Members: []string{"a", "d"}, Absent: []node.Absent{{Name: "e"}}}, "the statistics of d, e count from now on"},
		{node.Status{Held: []string{"f"}, HeldUntil: 2}, "the statistics of f are held back until 2 more come: alone, they would show in the total"},
		{node.Status{Members: []string{"a", "d"}}, ""}, // f was removed
	} {
		if got := r.next(time.Second, c.s); got != c.want {
			t.Errorf("held %v: got %q, want %q", c.s.Held, got, c.want)
		}
	}
}

// A connection through another member is reported once, and so is a direct one after it.
func TestRelayedConnectionsAreReported(t *testing.T) {
	r := newTeller(false)
	for i, step := range []struct {
		now  []node.Link
		want string
	}{
		{[]node.Link{{Name: "a"}, {Name: "b", Via: "a"}}, "b is reached through a"},
		{[]node.Link{{Name: "a"}, {Name: "b", Via: "a"}}, ""},
		{nil, ""},
		{[]node.Link{{Name: "b", Via: "c"}}, "b is reached through c"},
		{[]node.Link{{Name: "b"}}, "b is reached directly"},
		{[]node.Link{{Name: "b"}}, ""},
	} {
		if got := r.next(time.Second, node.Status{Links: step.now}); got != step.want {
			t.Errorf("step %d: got %q, want %q", i, got, step.want)
		}
	}
}

// Members that want different changes are reported once the difference persists, and again when it
// changes.
func TestDifferentWishesAreReported(t *testing.T) {
	wants := func(own bool, names ...string) node.Wanted { return node.Wanted{Names: names, Own: own} }
	both := []node.Wanted{wants(true, "a", "c"), wants(false, "b")}
	const differ = "members want different changes: a, c the one in this agreement, b another one; 3 must want the same: compare the files"
	r := newTeller(false)
	for i, c := range []struct {
		wanted []node.Wanted
		want   string
	}{
		{nil, ""},
		{[]node.Wanted{wants(false, "a")}, ""}, // the others are about to
		{[]node.Wanted{wants(true, "a", "b")}, ""},
		{[]node.Wanted{wants(true, "a", "b")}, ""},
		{both, ""},
		{both, differ},
		{both, ""},
		{[]node.Wanted{wants(false, "a", "b"), wants(false, "d")}, ""},
		{[]node.Wanted{wants(false, "a", "b"), wants(false, "d")}, "members want a change that this agreement does not have: a, b; another one: d; 3 must want the same"},
		{nil, ""},
		{nil, ""},
		{both, ""},
		{both, differ},
	} {
		if got := r.next(settleAfter, node.Status{Quorum: 3, Wanted: c.wanted}); got != c.want {
			t.Errorf("%d: said %q, want %q", i, got, c.want)
		}
	}
}

// Changes of the roster, of the agreement's file and of what all members know of another are
// reported once. They are of interest from any member.
func TestChangesOfARunAreReported(t *testing.T) {
	r := NewReporter(false, false)
	s := Status{Phase: Running, At: noon, Began: noon, Since: noon, Node: &node.Status{}, Roster: []string{"a (1)", "b (2)", "c (3)"}}
	for i, step := range []struct {
		change func()
		want   string
	}{
		{func() {}, ""},
		{func() { s.Roster = []string{"a (1)", "b (2)", "d (4)"} }, "the members have changed: d joined, c left; 3 now"},
		{func() { s.Roster = []string{"a (1)", "b (2)", "d (5)"} }, "the members have changed: d joined, d left; 3 now"}, // with another key
		{func() {}, ""},
		{func() { s.Agreement = "the agreement has a change" }, "the agreement has a change"},
		{func() {}, ""},
		{
			func() { s.Known, s.Knowns = []Warning{known("privacy: x"), known("privacy: y")}, 2 },
			"warning: privacy: x\nwarning: privacy: y",
		},
		{func() {}, ""},
		{func() { s.Known, s.Knowns = []Warning{known("privacy: y"), known("privacy: z")}, 3 }, "warning: privacy: z"},
		{func() { s.Known, s.Knowns = []Warning{known("privacy: u"), known("privacy: v")}, 9 }, "warning: privacy: u\nwarning: privacy: v"},
	} {
		step.change()
		next := s
		lines := r.Next(&next)
		if got := texts(lines); got != step.want {
			t.Errorf("step %d: got %q, want %q", i, got, step.want)
		}
		for _, l := range lines {
			if !l.Common || l.Present {
				t.Errorf("step %d: %+v", i, l)
			}
		}
	}
}

// A resumed run is announced, and the rounds decided before are not reported again.
func TestAResumedRunIsReported(t *testing.T) {
	r := NewReporter(false, false)
	var got []string
	for _, s := range []*Status{
		{Phase: Joining},
		{Phase: Running, Resumed: 7, Node: &node.Status{}},
		{Phase: Running, Resumed: 7, Node: &node.Status{}, Round: 7, Rounds: 9, Last: &Round{Loss: report.Of(2), Members: 3}},
		{Phase: Running, Resumed: 7, Node: &node.Status{}, Round: 8, Rounds: 9, Last: &Round{Loss: report.Of(1), Members: 3}},
	} {
		s.At, s.Began, s.Since = noon, noon, noon
		got = append(got, texts(r.Next(s)))
	}
	if want := []string{"", "resumes the run after round 7, from the state in its folder", "", "round 8/9  loss 1 per row  3 participants"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A member that waits for others reports those that are here when they change, and where to reach
// this one; later how long it has waited.
func TestJoiningIsReported(t *testing.T) {
	r := NewReporter(false, false)
	at := noon
	next := func(after time.Duration, n node.Status) string {
		at = at.Add(after)
		return texts(r.Next(&Status{Phase: Joining, At: at, Began: noon, Since: noon, Node: &n}))
	}
	alone := node.Status{Want: 2, Present: []string{"a (12D3)"}, Addrs: []string{"/ip4/10.0.0.1/tcp/1"}}
	if got, want := next(0, alone), "this member is reached with --peer /ip4/10.0.0.1/tcp/1\n1 of 2 members are here: a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := next(time.Second, alone); got != "" {
		t.Errorf("got %q again", got)
	}
	if got, want := next(remindEvery, alone), "1 of 2 members are here: a; for 31s now"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	both := node.Status{Want: 2, Present: []string{"a", "b"}, BeginAt: at.Add(3*time.Hour + 12*time.Minute)}
	if got, want := next(0, both), "2 of 2 members are here: a, b; begins at 2026-03-04T15:12:31Z (in 3 h 12 min)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A member that waits gives one address of each host, and one of this machine only if it has no other.
func TestOneAddressOfEachHostIsReported(t *testing.T) {
	here := []string{"/ip4/127.0.0.1/tcp/1/p2p/12D3", "/ip4/127.0.0.1/udp/1/quic-v1/p2p/12D3", "/ip6/::1/tcp/1/p2p/12D3"}
	far := []string{"/ip4/192.0.2.2/tcp/1/p2p/12D3", "/ip4/192.0.2.2/udp/1/quic-v1/p2p/12D3", "/dns4/a.example/tcp/443/wss/p2p/12D3"}
	for _, c := range []struct{ addrs, want []string }{
		{nil, nil},
		{here, here[:1]},
		{slices.Concat(here, far), []string{far[0], far[2]}},
		{slices.Concat(far, here), []string{far[0], far[2]}},
	} {
		var got []string
		for _, l := range NewReporter(false, false).Next(&Status{Phase: Joining, At: noon, Began: noon, Node: &node.Status{Want: 3, Present: []string{"a"}, Addrs: c.addrs}}) {
			if _, address, is := strings.Cut(l.Text, "--peer "); is {
				got = append(got, address)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.addrs, got, c.want)
		}
	}
}

// In each phase, a line comes before a minute has passed without one.
func TestNoMinuteWithoutALine(t *testing.T) {
	waits := &node.Status{Name: "a", State: "session", Call: "sum", Waiting: []node.Waiting{{Name: "plant-b", For: 3 * time.Second}}}
	for _, c := range []struct {
		phase     Phase
		n         *node.Status
		at, quiet time.Duration
		terminal  bool
		want      string
	}{
		{Loading, nil, time.Second, time.Second, false, ""},
		{Loading, nil, 2 * time.Second, 2 * time.Second, false, "reading the rows; for 2s now"},
		{Loading, nil, 3 * time.Second, time.Second, false, ""},
		{Loading, nil, 3 * time.Second, time.Second, true, "reading the rows; for 3s now"},
		{Loading, nil, time.Minute, quietMost, false, "reading the rows; for 1m0s now"},
		{Joining, nil, time.Minute, quietMost - 1, false, ""},
		{Joining, nil, time.Minute, quietMost, false, "joining; for 1m0s now"},
		{Running, waits, time.Hour, quietMost, false, "round 12: waiting for plant-b, 3s"},
		{Running, &node.Status{State: "computing"}, time.Hour, quietMost, false, "round 12: computing; for 50s now"},
		{Running, nil, time.Hour, time.Hour, false, ""}, // a simulation
		{Saving, waits, time.Minute, quietMost, false, "writing the results; for 1m0s now"},
	} {
		r := NewReporter(c.terminal, false)
		s := &Status{Phase: c.phase, Began: noon, Since: noon, Round: 11, Node: c.n, At: noon.Add(c.at)}
		r.before, r.printed = s, s.At.Add(-c.quiet)
		if got := texts(r.Next(s)); got != c.want {
			t.Errorf("%s, %s after its begin, %s without a line: got %q, want %q", c.phase, c.at, c.quiet, got, c.want)
		}
	}
}

// A log has the first round, the last one, and a line each ten seconds, or each round. On a terminal
// a simulation shows a bar, which each round replaces.
func TestRoundsAreReported(t *testing.T) {
	played := func(terminal, each bool) (all []string) {
		r := NewReporter(terminal, each)
		for n := range 5 {
			s := &Status{Phase: Running, At: noon.Add(time.Duration(n) * 6 * time.Second), Began: noon, Since: noon, Rounds: 4, Round: n, Pace: time.Second}
			if n > 0 {
				s.Last = &Round{Loss: report.Of(2), Members: 5, Virtual: time.Duration(n) * time.Minute}
			}
			for _, l := range r.Next(s) {
				if !l.Present {
					t.Errorf("%+v would not be replaced", l)
				}
				all = append(all, l.Text)
			}
		}
		return all
	}
	if got := played(true, false); len(got) != 5 || got[0] != "[........................] start-up" ||
		got[3] != "[##################......] 3/4  virtual time 3m0s  loss 2 per row  at most 1s to go" {
		t.Errorf("on a terminal: %q", got)
	}
	if got := played(false, true); len(got) != 4 || got[2] != "round 3/4  loss 2 per row  5 participants  at most 1s to go" {
		t.Errorf("each: %q", got)
	}
	if got := played(false, false); len(got) != 3 || got[1] != "round 3/4  loss 2 per row  5 participants  at most 1s to go" {
		t.Errorf("elsewhere: %q", got)
	}
	s := &Status{Phase: Running, Round: 1, Rounds: 1, Node: &node.Status{Traffic: node.Traffic{BytesSent: 2500}}, Last: &Round{
		Loss: report.Of(2), Members: 5, Contribution: report.Of(12.3), LowDiversity: []LowDiversity{{3, "skip-component"}},
		Information: report.Of(1.5), ActiveUnits: 2, Latent: 4, Weight: report.Of(0.25), Discrepancy: report.Of(0.5), Converged: true,
	}}
	want := "round 1/1  loss 2 per row  5 participants  component 3: skip-component" +
		"  information 1.50, 2 of 4 units  weight 0.250, discrepancy 0.5  sent 2.5 kB  converged"
	if got := roundLine(s); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// known returns a statement about what all members know.
func known(text string) Warning { return Warning{noon, report.Warning{Text: text}} }
