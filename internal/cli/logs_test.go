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
	warned, warns, ofNode := l.lastWarnings()
	if warns != 2 || ofNode != 1 || warned[0].Text != "privacy: lone change" || warned[1].Text != "b is lost (nothing heard)" {
		t.Errorf("%d warnings: %+v", warns, warned)
	}
}

// The first prefix of a line gives its level.
func TestTheFirstPrefixGivesTheLevel(t *testing.T) {
	for range 50 {
		var out bytes.Buffer
		l := newLogs(&out, &logFlags{jsonFormat, "warn"}, time.Now)
		l.Write([]byte("warning: error: x\nerror: warning: y\n"))
		warned, warns, _ := l.lastWarnings()
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
