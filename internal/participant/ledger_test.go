package participant_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/ledger"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/node"
)

// A run is in the ledger of its folder before its first sum, and with all it has told at its end. A
// member that is killed on the way leaves the first of these.
func TestARunIsInTheLedgerFromItsStart(t *testing.T) {
	all, _ := configs(t, 3, learn(t, 4))
	var once sync.Once
	var during []ledger.Record
	all[1].OnRound = func(algorithm.Progress, node.Status) {
		once.Do(func() { during = recordsIn(t, all[1].Node.Dir) })
	}
	results, errs := runAll([]context.Context{t.Context(), t.Context(), t.Context()}, all)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if len(during) != 1 || during[0].Ended || len(during[0].Members) != 3 || !says(during[0].Entries, "a random value for the agreed nonce") || !says(during[0].Entries, "start to round 4: sums, of which the ledger says more when the run has ended") {
		t.Errorf("on the way: %+v", during)
	}
	for i, c := range all {
		got := recordsIn(t, c.Node.Dir)
		if len(got) != 1 || !got[0].Ended || got[0].ID != during[0].ID || !got[0].At.Equal(c.Began.UTC().Truncate(1e9)) || !says(got[0].Entries, "rounds 1 to 4: 4 totals over 3 members of the number of rows") {
			t.Errorf("%s: %+v", c.Data.Name, got)
		}
		if a, b := sentences(got[0].Entries), sentences(results[i].Report.Ledger); a != b || a != sentences(results[i].Model.Manifest.Privacy.Entries) {
			t.Errorf("the ledger says\n%sthe result\n%s", a, b)
		}
	}
}

func recordsIn(t *testing.T, dir string) []ledger.Record {
	b, err := ledger.Open(dir)
	if err != nil {
		t.Error(err)
		return nil
	}
	return b.Records()
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
