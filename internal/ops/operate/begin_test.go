package operate

import (
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/node"
)

func TestBeginTime(t *testing.T) {
	at := time.Date(2026, 5, 4, 6, 0, 0, 0, time.UTC)
	for before, want := range map[time.Duration]string{
		0: "", -time.Hour: "",
		time.Second:                          "1 s",
		59*time.Second + time.Second/4:       "59 s",
		time.Minute:                          "1 min",
		3*time.Hour + 12*time.Minute:         "3 h 12 min",
		2*time.Hour - time.Second:            "2 h",
		50*time.Hour + 40*time.Second:        "2 d 2 h 1 min",
		24*time.Hour + 10*time.Minute:        "1 d 10 min",
		59*time.Minute + 59*time.Second:      "1 h",
		23*time.Hour + 59*time.Minute + 3e10: "1 d",
	} {
		if want != "" {
			want = "begins at 2026-05-04T06:00:00Z (in " + want + ")"
		}
		if got := beginTime(at, at.Add(-before)); got != want {
			t.Errorf("%v before: got %q, want %q", before, got, want)
		}
	}
	if got := beginTime(time.Time{}, at); got != "" {
		t.Errorf("without a time: %q", got)
	}
}

// The status of a run that waits for its time reports when it begins.
func TestStatusBeforeTheBegin(t *testing.T) {
	at := time.Date(2026, 5, 4, 6, 0, 0, 0, time.UTC)
	s := &Status{Phase: Joining, At: at.Add(-3 * time.Hour), Node: &node.Status{BeginAt: at, Want: 2, Present: []string{"a", "b"}}}
	if got, want := s.Activity(), "joining: 2 of 2 members are here; begins at 2026-05-04T06:00:00Z (in 3 h)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if s.At = at; strings.Contains(s.Activity(), "begins") {
		t.Errorf("at the time: %q", s.Activity())
	}
}
