package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/node"
)

// logged logs some lines in a format, and returns the logs and their output. The third line is
// written in two parts.
func logged(t *testing.T, format string) (*logs, string) {
	var out bytes.Buffer
	now := time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.FixedZone("elsewhere", 3600))
	l := newLogs(&out, &logFlags{format, "warn"}, func() time.Time { return now })
	app := &app{err: l}
	app.note("round 1/9  loss 2")
	app.note("warning: privacy: lone change")
	l.Write([]byte("without b "))
	l.Write([]byte("from now on\n\n"))
	node := l.slog()
	node.Info("below the level")
	node.Log(t.Context(), slog.LevelWarn, "a member is lost", "name", "b", "reason", "nothing heard for 8s")
	app.fail(t.Context(), errors.New("broken\nin two"))
	return l, out.String()
}

// Every line has its time in both formats: RFC 3339, in UTC.
func TestEveryLineHasItsTime(t *testing.T) {
	l, text := logged(t, textFormat)
	want := `2026-03-04T04:06:07.089Z round 1/9  loss 2
2026-03-04T04:06:07.089Z warning: privacy: lone change
2026-03-04T04:06:07.089Z without b from now on
2026-03-04T04:06:07.089Z [WARN]  node: a member is lost: name=b reason="nothing heard for 8s"
2026-03-04T04:06:07.089Z error: broken
2026-03-04T04:06:07.089Z in two
`
	if text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
	warned, warns := l.lastWarnings()
	if warns != 2 || warned[0].Text != "privacy: lone change" || warned[1].Text != "a member is lost name=b reason=nothing heard for 8s" {
		t.Errorf("%d warnings: %+v", warns, warned)
	}
}

// The first prefix of a line gives its level.
func TestTheFirstPrefixGivesTheLevel(t *testing.T) {
	for range 50 {
		var out bytes.Buffer
		l := newLogs(&out, &logFlags{jsonFormat, "warn"}, time.Now)
		l.Write([]byte("warning: error: x\nerror: warning: y\n"))
		warned, warns := l.lastWarnings()
		if warns != 1 || warned[0].Text != "error: x" || !strings.Contains(out.String(), `"@level":"error","@message":"warning: y"`) {
			t.Fatalf("%d warnings %+v of\n%s", warns, warned, &out)
		}
	}
}

func TestLinesAsObjects(t *testing.T) {
	_, text := logged(t, jsonFormat)
	var got []string
	for line := range strings.Lines(text) {
		var o map[string]string
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if o["@timestamp"] != "2026-03-04T04:06:07.089Z" {
			t.Errorf("at %q", o["@timestamp"])
		}
		got = append(got, o["@level"]+" "+o["@module"]+" "+o["@message"]+" "+o["name"])
	}
	want := []string{"info  round 1/9  loss 2 ", "warn  privacy: lone change ", "info  without b from now on ", "warn node a member is lost b", "error  broken ", "info  in two "}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A process that reads the log of another shows its lines as a terminal would.
func TestLogsAreReadByAnotherProcess(t *testing.T) {
	for _, format := range []string{textFormat, jsonFormat} {
		_, text := logged(t, format)
		var got []string
		for line := range strings.Lines(text) {
			got = append(got, unstamped(strings.TrimSuffix(line, "\n")))
		}
		want := []string{"round 1/9  loss 2", "warning: privacy: lone change", "without b from now on", "error: broken", "in two"}
		if node := got[3]; !kept(node) || !strings.Contains(node, "a member is lost") {
			t.Errorf("%s: %q is not for the log alone", format, node)
		}
		got = append(got[:3], got[4:]...)
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: got %q, want %q", format, got, want)
		}
	}
	for _, other := range []string{"{ not an object", "2026 in a line", ""} {
		if got := unstamped(other); got != other {
			t.Errorf("got %q of %q", got, other)
		}
	}
}

// In each phase, the heartbeat writes a line before a minute has passed without one.
func TestNoMinuteWithoutALine(t *testing.T) {
	began := time.Unix(1000, 0)
	in := func(p operate.Phase, n *node.Status) *operate.Status {
		return &operate.Status{Phase: p, Since: began, Round: 11, Node: n}
	}
	waits := &node.Status{Name: "a", State: "session", Call: "sum", Waiting: []node.Waiting{{Name: "plant-b", For: 70 * time.Second}}}
	for _, c := range []struct {
		s         *operate.Status
		at, quiet time.Duration
		live      bool
		want      string
	}{
		{in(operate.Loading, nil), time.Second, time.Second, false, ""},
		{in(operate.Loading, nil), 2 * time.Second, 2 * time.Second, false, "reading the rows; for 2s now"},
		{in(operate.Loading, nil), 3 * time.Second, time.Second, false, ""},
		{in(operate.Loading, nil), 3 * time.Second, time.Second, true, "reading the rows; for 3s now"},
		{in(operate.Loading, nil), time.Minute, quietMost, false, "reading the rows; for 1m0s now"},
		{in(operate.Joining, nil), time.Minute, quietMost - 1, false, ""},
		{in(operate.Joining, nil), time.Minute, quietMost, false, "joining; for 1m0s now"},
		{in(operate.Running, waits), time.Hour, quietMost, false, "round 12: waiting for plant-b, 1m10s"},
		{in(operate.Running, &node.Status{State: "computing"}), time.Hour, quietMost, false, "round 12: computing; for 50s now"},
		{in(operate.Saving, waits), time.Minute, quietMost, false, "writing the results; for 1m0s now"},
	} {
		if got := heartbeat(c.s, began.Add(c.at), c.quiet, c.live); got != c.want {
			t.Errorf("%s, %s after its begin, %s without a line: got %q, want %q", c.s.Phase, c.at, c.quiet, got, c.want)
		}
	}
}

// interruptible returns the result of its function, or ends without it when the context ends.
func TestInterruptible(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	broken := errors.New("broken")
	if err := interruptible(ctx, func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	busy := make(chan struct{})
	defer close(busy)
	if err := interruptible(ctx, func() error { cancel(); <-busy; return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
