package participant_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/node"
)

// withAudit opens the audit logs of participants.
func withAudit(t *testing.T, all []participant.Config) {
	t.Helper()
	for i := range all {
		var err error
		if all[i].Audit, err = participant.OpenAudit(all[i].Node.Dir, time.Now); err != nil {
			t.Fatal(err)
		}
		all[i].Signers = []string{"x"}
	}
}

// slotsIn returns the events of an audit log, and checks that each slot is there once, in order.
func slotsIn(t *testing.T, dir string) (events string, slots uint64) {
	t.Helper()
	var names []string
	_, err := journal.Check(dir, func(r journal.Record) {
		if r.Event == journal.Decided {
			if r.Slot != slots {
				t.Errorf("line %d: slot %d, want %d", r.Line, r.Slot, slots)
			}
			slots++
			return
		}
		names = append(names, string(r.Event))
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " "), slots
}

// Every decision of a run is in the audit log once, although the run was stopped, and one
// member's process was killed before it had written all of them. The next process takes the
// missing decisions from state.db, and the torn line is kept.
func TestEveryDecisionIsInTheAuditLog(t *testing.T) {
	all, _ := configs(t, 3, learn(t, 6))
	withAudit(t, all)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for i := range all {
		all[i].OnRound = func(p algorithm.Progress, _ node.Status) {
			if p.Number == 3 {
				cancel()
			}
		}
	}
	if _, errs := runAll([]context.Context{ctx, ctx, ctx}, all); errs[0] == nil || errs[1] == nil || errs[2] == nil {
		t.Fatalf("got %v", errs)
	}
	killed := all[1].Node.Dir
	path := filepath.Join(killed, journal.File)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	cut := len(lines) - 5 // the last is empty, and the one before records that the run was stopped
	torn := append(bytes.Join(lines[:cut], nil), lines[cut][:30]...)
	if err := os.WriteFile(path, torn, 0o600); err != nil {
		t.Fatal(err)
	}
	if a, err := participant.ReadAudit(killed); err != nil || !a.Compared || a.Behind < 3 || a.Torn != 30 || a.Runs[0].End != "" {
		t.Errorf("%v: %+v", err, a)
	}
	withAudit(t, all)
	for i := range all {
		all[i].OnRound = nil
	}
	if _, errs := runAll([]context.Context{t.Context(), t.Context(), t.Context()}, all); errors.Join(errs...) != nil {
		t.Fatal(errs)
	}
	for i, c := range all {
		want := "agreement begun members ended resumed ended"
		if i == 1 {
			want = "agreement begun members torn resumed ended"
		}
		events, slots := slotsIn(t, c.Node.Dir)
		a, err := participant.ReadAudit(c.Node.Dir)
		if err != nil || events != want || !a.Compared || a.Behind != 0 || uint64(a.Runs[0].Decided) != slots || a.Runs[0].Round != 6 || a.Runs[0].Resumed != 1 || a.Runs[0].End != "finished as planned" {
			t.Errorf("%s: %v: %s: %+v", c.Data.Name, err, events, a)
		}
	}
}

// A log with a valid chain of lines is damaged if it disagrees with state.db.
func TestTheAuditLogIsComparedWithTheState(t *testing.T) {
	all, _ := configs(t, 3, learn(t, 1))
	withAudit(t, all)
	if _, errs := runAll([]context.Context{t.Context(), t.Context(), t.Context()}, all); errors.Join(errs...) != nil {
		t.Fatal(errs)
	}
	dir := all[0].Node.Dir
	var records []journal.Record
	if _, err := journal.Check(dir, func(r journal.Record) { records = append(records, r) }); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, journal.File)); err != nil {
		t.Fatal(err)
	}
	forged, err := journal.Open(dir, time.Now, func(journal.Record) {})
	if err != nil {
		t.Fatal(err)
	}
	line := 0
	for _, r := range records {
		if r.Event == journal.Decided && r.Round == 1 {
			r.Digest = strings.Repeat("00", 32)
			line = r.Line
		}
		if err := forged.Note(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := forged.Flush(); err != nil {
		t.Fatal(err)
	}
	_, err = participant.ReadAudit(dir)
	var d *journal.Damage
	if !errors.As(err, &d) || d.Line != line || !strings.Contains(err.Error(), "as state.db has it, got 0000000000000000") {
		t.Errorf("got %v, want line %d", err, line)
	}
}
