package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/run/launch"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

func TestWaitsAreReported(t *testing.T) {
	var w waits
	now := time.Unix(0, 0)
	say := func(s node.Status) string {
		now = now.Add(time.Second)
		return w.line(s, now)
	}
	for slot, took := range []int{1, 1, 9, 1} { // one waited for a lost member
		if got := say(node.Status{Slot: uint64(slot + 1), LastTook: time.Duration(took) * 100 * time.Millisecond}); got != "" {
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
		now = now.Add(c.after)
		if got := say(c.s); got != c.want {
			t.Errorf("%d: said %q, want %q", i, got, c.want)
		}
	}
}

// A long sum reports its progress at every look on a terminal, and at intervals elsewhere, with the
// members that it waits for if it stands still. A short sum reports nothing.
func TestLongSumsAreReported(t *testing.T) {
	far := func(bytes int64, waiting ...node.Waiting) node.Status {
		return node.Status{Slot: 7, Call: "sum", Come: node.Come{Bytes: bytes, BytesInAll: 14_000_000}, Waiting: waiting}
	}
	b := node.Waiting{Name: "b", For: 100 * time.Millisecond}
	stuck := node.Waiting{Name: "b", For: 12 * time.Second, Usual: time.Second}
	for _, c := range []struct {
		live  bool
		after time.Duration // after the first look
		s     node.Status
		want  string
	}{
		{true, sayAfter - 1, far(1_000_000, b), ""},
		{true, sayAfter, far(6_100_000, b), "sum 44 %, 6.1 of 14.0 MB"},
		{true, sayAfter + watchEvery, far(6_200_000, stuck), "sum 44 %, 6.2 of 14.0 MB; waiting for b 12s"},
		{false, sayAfter + sayEvery, far(7_000_000), "sum 50 %, 7.0 of 14.0 MB"},
		{false, sayAfter + sayEvery + watchEvery, far(8_000_000), ""},
		{false, 2*sayEvery + sayAfter, far(14_000_000), "sum 100 %, 14.0 of 14.0 MB"},
	} {
		w := waits{live: c.live}
		began := time.Unix(0, 0)
		w.line(far(0), began)
		if !c.live {
			w.line(far(0), began.Add(sayAfter)) // reports
		}
		if c.after > sayAfter+sayEvery {
			w.line(far(0), began.Add(sayAfter+sayEvery)) // reports again
		}
		if got := w.line(c.s, began.Add(c.after)); got != c.want {
			t.Errorf("after %s: said %q, want %q", c.after, got, c.want)
		}
	}
	var w waits
	short := node.Status{Call: "sum", Come: node.Come{Bytes: 1000, BytesInAll: 5000}}
	for i := range 20 {
		if got := w.line(short, time.Unix(int64(i), 0)); got != "" {
			t.Errorf("said %q of a short sum", got)
		}
	}
}

// A round ends a pause, even if no look at the status has seen the run continue.
func TestARoundEndsAPause(t *testing.T) {
	var w waits
	now := time.Unix(0, 0)
	if got := w.round(now); got != "" {
		t.Errorf("said %q of a run that was not paused", got)
	}
	w.look(func() node.Status { return node.Status{Paused: true} }, now)
	if got, want := w.round(now), "resumed: enough members are connected"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if got := w.look(func() node.Status { return node.Status{} }, now); got != "" {
		t.Errorf("said %q again", got)
	}
}

func TestMembersOfSumsAreReported(t *testing.T) {
	var out bytes.Buffer
	p := (&app{err: &out}).newProgress(nil)
	silent := node.Absent{Name: "b", Reason: "nothing heard for 8s", Lost: true}
	for _, s := range []node.Status{
		{Name: "c", Members: []string{"a", "b", "c"}, Absent: []node.Absent{silent}}, // lost since the last sum
		{Name: "c", Members: []string{"a", "c"}, Absent: []node.Absent{silent}},
		{Name: "c", Members: []string{"a"}, Absent: []node.Absent{silent, {Name: "c", Reason: "catching up"}}},
		{Name: "c", Members: []string{"a", "b", "c"}},
	} {
		p.members(s)
	}
	want := `without b from now on: nothing heard for 8s
without this member from now on: catching up
with b again
with this member again
`
	if got := out.String(); got != want {
		t.Errorf("said\n%swant\n%s", got, want)
	}
}

// Of several nodes, one reports progress, and another takes over when it has ended. A line that
// several nodes write is printed once.
func TestAFleetReportsOnce(t *testing.T) {
	var out bytes.Buffer
	f := &fleet{progress: (&app{err: &out}).newProgress(nil), dir: "o", names: []string{"a", "b", "c"}}
	f.say(1, "round 1/9  loss 2")
	f.say(0, "round 1/9  loss 2")
	f.say(1, "waiting for c 4s (usual 100ms)")
	f.say(0, "waiting for c 5s (usual 200ms)")
	f.say(2, "with a again")
	f.say(1, "sum 20 %, 2.8 of 14.0 MB")
	f.say(0, "sum 21 %, 2.9 of 14.0 MB")
	f.say(2, "sum 22 %, 3.0 of 14.0 MB; waiting for b 4s")
	f.say(1, "sum 20 %, 2.8 of 14.0 MB; waiting for b 5s")
	hopeless := f.ended(0, report.End{Err: &launch.ChildError{Name: "a", Killed: true, Message: "its process ended: signal: killed"}})
	f.say(1, "round 1/9  loss 2")
	f.say(1, "round 2/9  loss 1")
	f.say(2, "error: no space")
	if hopeless || f.ended(2, report.End{Err: errors.New("no space")}) {
		t.Error("a node that was killed, or gave no class of error, may succeed if it is started again")
	}
	for class, want := range map[string]bool{"data": true, "usage": true, "members-lost": false, "interrupted": false} {
		if got := f.ended(2, report.End{Err: &launch.ChildError{Name: "c", Class: class}}); got != want {
			t.Errorf("%s: would end in the same way again: %t", class, got)
		}
	}
	want := `a: round 1/9  loss 2
b: waiting for c 4s (usual 100ms)
a: sum 21 %, 2.9 of 14.0 MB
c: sum 22 %, 3.0 of 14.0 MB; waiting for b 4s
a: its process ended: signal: killed; collabdict run --dir o/a brings it back
b: round 2/9  loss 1
c: error: no space
`
	if got := strings.ReplaceAll(out.String(), `o\a`, "o/a"); got != want {
		t.Errorf("said\n%swant\n%s", got, want)
	}
}

// Members whose statistics are held back are reported when they change, with the number that ends
// it.
func TestHeldStatisticsAreReported(t *testing.T) {
	w := &waits{}
	now := time.Unix(1000, 0)
	for _, c := range []struct {
		s    node.Status
		want string
	}{
		{node.Status{}, ""},
		{node.Status{Held: []string{"e"}, HeldUntil: 2}, "the statistics of e are held back until 2 more come: alone, they would show in the total"},
		{node.Status{Held: []string{"e"}, HeldUntil: 2}, ""},
		{node.Status{Held: []string{"d", "e"}, HeldUntil: 1}, "the statistics of d, e are held back until 1 more comes: alone, they would show in the total"},
		{node.Status{}, "the statistics of d, e count again"},
	} {
		if got := w.line(c.s, now); got != c.want {
			t.Errorf("held %v: got %q, want %q", c.s.Held, got, c.want)
		}
		now = now.Add(time.Second)
	}
}

// A connection through another member is reported once, and so is a direct one after it.
func TestRelayedConnectionsAreReported(t *testing.T) {
	var l links
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
		if got := strings.Join(l.look(step.now), "; "); got != step.want {
			t.Errorf("step %d: got %q, want %q", i, got, step.want)
		}
	}
}
