package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/node"
)

func TestBeginsIn(t *testing.T) {
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
		if got := beginsIn(at, at.Add(-before)); got != want {
			t.Errorf("%v before: got %q, want %q", before, got, want)
		}
	}
	if got := beginsIn(time.Time{}, at); got != "" {
		t.Errorf("without a time: %q", got)
	}
}

// Who waits for the time sees it beside the members that are here.
func TestProgressBeforeTheBegin(t *testing.T) {
	var out bytes.Buffer
	p := &progress{w: &out, began: time.Now(), beginAt: time.Now().Add(3*time.Hour + 12*time.Minute)}
	p.joining(node.Status{Want: 2, Present: []string{"a", "b"}})
	if got := out.String(); !strings.HasPrefix(got, "2 of 2 members are here: a, b; begins at ") || !strings.HasSuffix(got, " (in 3 h 12 min)\n") {
		t.Errorf("got %q", got)
	}
}
