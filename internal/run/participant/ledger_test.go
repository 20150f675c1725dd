package participant_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

// The ledger of a folder has a run before the run's first sum, and everything that the run has
// revealed when it has ended.
func TestARunIsInTheLedgerFromItsStart(t *testing.T) {
	all, _ := configs(t, 3, learn(t, 4))
	var once sync.Once
	var during []journal.Record
	all[1].OnRound = func(algorithm.Progress, node.Status) {
		once.Do(func() { during = recordsIn(t, all[1].Node.Dir) })
	}
	results, errs := runAll([]context.Context{t.Context(), t.Context(), t.Context()}, all)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if len(during) != 1 || during[0].Ended || len(during[0].Members) != 3 || !says(during[0].Entries, "a random value for the agreed nonce") || !says(during[0].Entries, "start to round 4: sums; the ledger has the details when the run has ended") {
		t.Errorf("during the run: %+v", during)
	}
	for i, c := range all {
		got := recordsIn(t, c.Node.Dir)
		if len(got) != 1 || !got[0].Ended || got[0].ID != during[0].ID || !got[0].At.Equal(got[0].At.Truncate(time.Second)) || !says(got[0].Entries, "rounds 1 to 4: 4 totals over 3 members of the number of rows") {
			t.Errorf("%s: %+v", c.Data.Name, got)
		}
		if a, b := sentences(got[0].Entries), sentences(results[i].Report.Ledger); a != b || a != sentences(results[i].Model.Manifest.Privacy.Entries) {
			t.Errorf("the ledger has\n%sthe result\n%s", a, b)
		}
	}
}

// The ledger of a run that was stopped in the middle has all totals opened until then.
func TestTheLedgerOfAStoppedRun(t *testing.T) {
	all, _ := configs(t, 3, learn(t, 50))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var ended atomic.Int32
	for i := range all {
		all[i].OnRound = func(p algorithm.Progress, _ node.Status) {
			if p.Number == 3 && int(ended.Add(1)) == len(all) { // a member that is stopped leaves at once
				cancel()
			}
		}
	}
	_, errs := runAll([]context.Context{ctx, ctx, ctx}, all)
	for i, c := range all {
		got := recordsIn(t, c.Node.Dir)
		if errs[i] == nil || len(got) != 1 || got[0].Ended {
			t.Fatalf("%s: %v: %+v", c.Data.Name, errs[i], got)
		}
		at := slices.IndexFunc(got[0].Entries, func(e report.Entry) bool {
			return e.Kind == report.TotalEntry && strings.HasPrefix(e.What, "the number of rows") && e.Rounds[0] == 1
		})
		if at < 0 {
			t.Fatalf("%s: no totals of rounds: %s", c.Data.Name, sentences(got[0].Entries))
		}
		if e := got[0].Entries[at]; e.Times < 3 || e.Times != e.Rounds[1] {
			t.Errorf("%s: %s", c.Data.Name, e.Sentence())
		}
	}
}

// For a run that was killed, the ledger takes the number of opened totals from the run's log. If
// the log is missing or damaged, the ledger has what was known at the start of the run.
func TestTheLedgerOfAKilledRun(t *testing.T) {
	all, _ := configs(t, 3, learn(t, 4))
	dir := all[1].Node.Dir
	book := filepath.Join(dir, journal.File)
	var once sync.Once
	var start []byte
	all[1].OnRound = func(algorithm.Progress, node.Status) {
		once.Do(func() { start, _ = os.ReadFile(book) })
	}
	if _, errs := runAll([]context.Context{t.Context(), t.Context(), t.Context()}, all); errors.Join(errs...) != nil {
		t.Fatal(errs)
	}
	ended := recordsIn(t, dir)[0].Entries
	if err := os.WriteFile(book, start, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := participant.Ledger(dir)
	if err != nil || len(got) != 1 || got[0].Ended || totalsIn(got[0].Entries) != totalsIn(ended) || totalsIn(ended) < 5 || !says(got[0].Entries, "rounds 1 to 4: 4 totals over 3 members of ") {
		t.Errorf("%v: %+v, want %d totals", err, got, totalsIn(ended))
	}
	if says(got[0].Entries, "the ledger has the details") || !says(got[0].Entries, "a random value for the agreed nonce") {
		t.Errorf("got %s", sentences(got[0].Entries))
	}
	state := filepath.Join(dir, "state.db")
	for _, spoil := range []func() error{
		func() error { return os.WriteFile(state, []byte("damage"), 0o600) },
		func() error { return os.Remove(state) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		got, err := participant.Ledger(dir)
		if err != nil || len(got) != 1 || !says(got[0].Entries, "start to round 4: sums; the ledger has the details when the run has ended") {
			t.Errorf("%v: %+v", err, got)
		}
	}
	if _, err := os.Stat(state); err == nil {
		t.Error("reading a ledger has created a log")
	}
}

func totalsIn(entries []report.Entry) (n int) {
	for _, e := range entries {
		if e.Kind == report.TotalEntry {
			n += e.Times
		}
	}
	return n
}

func recordsIn(t *testing.T, dir string) []journal.Record {
	records, err := journal.Ledger(dir)
	if err != nil {
		t.Error(err)
	}
	return records
}

func sentences(entries []report.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.Sentence() + "\n")
	}
	return b.String()
}

func says(entries []report.Entry, text string) bool {
	return strings.Contains(sentences(entries), text)
}
