package cli

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/ops/outcome"
	"github.com/collabdict/collabdict/internal/run/report"
)

// monitored returns the monitor of a folder whose ledger has some runs with noise, and a release.
func monitored(t *testing.T, runs int) *monitor {
	t.Helper()
	dir := t.TempDir()
	j, err := journal.Open(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	spent := func(kind report.EntryKind) []report.Entry {
		return []report.Entry{{Kind: kind, What: "means", SeenBy: "all", Times: 1, Spend: &report.Spend{ZCDP: 0.5, Epsilon: 1, Delta: outcome.UsualDelta}}}
	}
	for i := range runs {
		id := fmt.Sprintf("%064x", i)
		if err := j.Begin(journal.Start{Run: id, Agreement: id, Members: []journal.Member{{Name: "a", ID: "A"}}, Rows: id, Key: id, Entries: spent(report.NoiseEntry)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Release(journal.Line{Digest: fmt.Sprintf("%064x", runs), Entries: spent(report.ReleaseEntry)}, nil); err != nil {
		t.Fatal(err)
	}
	m := newMonitor(dir, "plant-a", newLogs(io.Discard, &logFlags{}, time.Now), false)
	t.Cleanup(m.keeps(j))
	return m
}

// The status lists the privacy spent in one order: noise, then releases.
func TestSpentIsInOneOrder(t *testing.T) {
	m := monitored(t, 1)
	for range 50 {
		var got []report.EntryKind
		for _, p := range m.whole().Spent {
			got = append(got, p.By)
		}
		if want := []report.EntryKind{report.NoiseEntry, report.ReleaseEntry}; !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
}

// Each heartbeat and each probe reads the status, so its cost does not grow with the ledger.
func TestALongLedgerSlowsNoHeartbeat(t *testing.T) {
	cost := func(m *monitor) float64 { return testing.AllocsPerRun(5, func() { _ = m.status() }) }
	if short, long := cost(monitored(t, 0)), cost(monitored(t, 40)); long > short+100 { // other goroutines allocate, too
		t.Errorf("%g allocations with 40 runs in the ledger, %g without", long, short)
	}
}

// The status that clients receive lists the privacy spent.
func TestClientsReceiveThePrivacySpent(t *testing.T) {
	m := monitored(t, 1)
	stop, err := m.serve("")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if _, s, err := askStatus(t.Context(), m.dir); err != nil || len(s.Spent) != 2 || s.Process.Goroutines == 0 {
		t.Errorf("%v: %+v", err, s)
	}
}

// Replayed rounds and a pause do not change the duration of rounds.
func TestPace(t *testing.T) {
	var p pace
	now := time.Unix(0, 0)
	for i, c := range []struct {
		took     time.Duration
		replayed bool
		want     time.Duration // 0: not known
	}{
		{0, false, 0}, // the time before it is the start-up
		{time.Second, false, time.Second},
		{time.Millisecond, true, 0},
		{time.Millisecond, true, 0},
		{3 * time.Second, false, 3 * time.Second},
		{2 * time.Second, false, 2 * time.Second},
		{time.Hour, false, 3 * time.Second}, // paused
		{2 * time.Second, false, 2 * time.Second},
		{2 * time.Second, false, 2 * time.Second},
	} {
		now = now.Add(c.took)
		if got, known := p.round(now, c.replayed); got != c.want || known != (c.want > 0) {
			t.Errorf("%d: %v, %v, want %v", i, got, known, c.want)
		}
	}
}
