package main

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/ledger"
	"github.com/collabdict/collabdict/internal/report"
)

// monitored returns the monitor of a folder whose ledger has some runs with noise, and a release.
func monitored(t *testing.T, runs int) *monitor {
	t.Helper()
	dir := t.TempDir()
	b, err := ledger.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range runs + 1 {
		kind, release := report.NoiseEntry, ""
		if i == runs {
			kind, release = report.ReleaseEntry, "r.json"
		}
		if err := b.Enter(ledger.Record{
			ID: fmt.Sprintf("%064x", i), At: time.Unix(0, 0), Model: "ggm", Release: release, Ended: true,
			Entries: []report.Entry{{Kind: kind, What: "means", SeenBy: "all", Times: 1, Spend: &report.Spend{ZCDP: 0.5, Epsilon: 1, Delta: usualDelta}}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	return newMonitor(dir, "plant-a", newLogs(io.Discard, &logFlags{}, time.Now))
}

// What is spent is listed in one order: noise, then releases.
func TestSpentIsInOneOrder(t *testing.T) {
	m := monitored(t, 1)
	for range 50 {
		var got []report.EntryKind
		for _, p := range m.status().Spent {
			got = append(got, p.By)
		}
		if want := []report.EntryKind{report.NoiseEntry, report.ReleaseEntry}; !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
}
