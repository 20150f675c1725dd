package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

// lost returns the status of a member of three that has lost one member and waits for the other.
func lost() *operate.Status {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return &operate.Status{
		Name: "a", Model: "ggm", Phase: operate.Running, At: at, Since: at.Add(-time.Hour), Run: strings.Repeat("0f", 32), Round: 11, Rounds: 40, Pace: 2 * time.Second,
		Warns: 9, Warned: []operate.Warning{{At: at.Add(-time.Minute), Warning: report.Warning{Text: "b is lost"}}},
		Node: &node.Status{
			Name: "a", State: "session", Call: "sum", Want: 3, Members: []string{"a", "c"}, LastTook: 120 * time.Millisecond,
			Absent: []node.Absent{{Name: "b", Reason: "nothing heard for 8.1s", Lost: true}}, Waiting: []node.Waiting{{Name: "c", For: 70 * time.Second}},
			Links:   []node.Link{{Name: "c", Via: "b"}},
			Traffic: node.Traffic{BytesSent: 2500000, MessagesSent: 12, BytesReceived: 1000, MessagesReceived: 3},
		},
	}
}

// served returns a folder in which a status is served until the test ends.
func served(t *testing.T, s *operate.Status) string {
	t.Helper()
	dir := t.TempDir()
	folder, err := operate.Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Release() })
	now := func() *operate.Status { return s }
	if err := folder.Serve(operate.Handler(now, now)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// out returns the status of a member that the others continue without.
func out() *operate.Status {
	s := lost()
	s.Node.Absent = append(s.Node.Absent, node.Absent{Name: s.Node.Name, Reason: "catching up"})
	return s
}

// exitOf returns the exit code of a command line, and what it writes on standard output and error.
func exitOf(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var o, e bytes.Buffer
	a := &app{out: &o, err: &e, args: args}
	root := a.root()
	root.SetArgs(args)
	if err := root.ExecuteContext(t.Context()); err != nil {
		code, _ = a.fail(t.Context(), err)
	}
	return code, o.String(), e.String()
}

// The exit code of status reports whether the member contributes. Its output is the same in both
// cases.
func TestStatusFailsWhereAMemberDoesNotContribute(t *testing.T) {
	if code, _, stderr := exitOf(t, "status", served(t, lost())); code != 0 || stderr != "" {
		t.Errorf("while another member is lost: exit code %d, %s", code, stderr)
	}
	dir := served(t, out())
	code, stdout, stderr := exitOf(t, "status", dir)
	if code != membersLost.code || !strings.HasPrefix(stdout, "a: round 12") || stderr != "error: this member is not in the sums: catching up\n" {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, _ = exitOf(t, "status", "--json", dir)
	var s operate.Status
	if err := json.Unmarshal([]byte(stdout), &s); err != nil || code != membersLost.code || s.Round != 11 {
		t.Errorf("exit code %d: %v in\n%s", code, err, stdout)
	}
}

// A terminal shows one table, which is drawn again in its place and cut to fit. Elsewhere each
// change has a line.
func TestATableIsDrawnInItsPlace(t *testing.T) {
	var out bytes.Buffer
	v := newScreen(&out)
	v.draw("one line\ntwo\nthree\n", 6, 3)
	v.draw("one\n", 80, 24)
	if got, want := out.String(), "one l\x1b[K\ntwo\x1b[K\n\x1b[J\x1b[2Aone\x1b[K\n\x1b[J"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	out.Reset()
	s := lost()
	watched := newView(&out, s)
	watched.show(s)
	again := *s
	again.At = s.At.Add(time.Second)
	watched.show(&again) // nothing has changed
	next := again
	next.Round++
	next.Last = &operate.Round{Loss: report.Of(2), Members: 2}
	watched.show(&next)
	want := `2026-03-04T05:06:07Z round 12: waiting for c, 1m10s
2026-03-04T05:06:07Z c is reached through b
2026-03-04T05:06:08Z without b from now on: nothing heard for 8.1s
2026-03-04T05:06:08Z round 12/40  loss 2 per row  2 participants  sent 2.5 MB  at most 56s to go
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
}

// A signal is answered before the process ends, and never after it.
func TestSignalsAreAnsweredBeforeTheEnd(t *testing.T) {
	for i := range 200 {
		ctx, interrupt := context.WithCancel(t.Context())
		var out strings.Builder
		stop := newMonitor(t.TempDir(), "plant-a", &out, false).interrupted(ctx)
		if i%2 == 0 {
			interrupt()
		}
		stop()
		interrupt()
		want := ""
		if i%2 == 0 {
			want = "interrupted: shutting down cleanly; press Ctrl-C again to end at once\n"
		}
		if out.String() != want {
			t.Fatalf("got %q, want %q", out.String(), want)
		}
	}
}
