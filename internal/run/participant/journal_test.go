package participant_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/node"
)

// slotsIn returns the events of a journal, and checks that each slot is there once, in order.
func slotsIn(t *testing.T, dir string) (events string, slots uint64) {
	t.Helper()
	var names []string
	_, err := journal.Check(dir, func(l journal.Line) {
		if l.Event == journal.Decided {
			if l.Slot != slots {
				t.Errorf("line %d: slot %d, want %d", l.Number, l.Slot, slots)
			}
			slots++
			return
		}
		names = append(names, string(l.Event))
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " "), slots
}

// Every decision of a run is in the journal once, although the run was stopped, and one
// member's process was killed before it had written all of them. The next process takes the
// missing decisions from state.db, and the torn line is kept.
func TestEveryDecisionIsInTheJournal(t *testing.T) {
	all, _ := configs(t, 3, learn(t, 6))
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

// A journal with a valid chain of lines is damaged if it disagrees with state.db.
func TestTheJournalIsComparedWithTheState(t *testing.T) {
	all, _ := configs(t, 3, learn(t, 1))
	if _, errs := runAll([]context.Context{t.Context(), t.Context(), t.Context()}, all); errors.Join(errs...) != nil {
		t.Fatal(errs)
	}
	dir := all[0].Node.Dir
	path := filepath.Join(dir, journal.File)
	forged, line := forge(t, path)
	if err := os.WriteFile(path, forged, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := participant.ReadAudit(dir)
	var d *journal.Damage
	if !errors.As(err, &d) || d.Line != line || !strings.Contains(err.Error(), "as state.db has it, got 0000000000000000") {
		t.Errorf("got %v, want line %d", err, line)
	}
}

// A journal that has lost its end, or is an older copy, is damaged if state.db knows better: neither a
// run nor the audit accepts it.
func TestAnOlderJournalIsRefused(t *testing.T) {
	all, _ := configs(t, 3, learn(t, 1))
	background := []context.Context{t.Context(), t.Context(), t.Context()}
	path := filepath.Join(all[0].Node.Dir, journal.File)
	var once sync.Once
	var during []byte
	all[0].OnRound = func(algorithm.Progress, node.Status) { once.Do(func() { during, _ = os.ReadFile(path) }) }
	if _, errs := runAll(background, all); errors.Join(errs...) != nil {
		t.Fatal(errs)
	}
	ended, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lastLine := bytes.LastIndexByte(ended[:len(ended)-1], '\n') + 1
	for name, text := range map[string][]byte{"a copy made during the run": during, "without its last line": ended[:lastLine], "empty": nil} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		var damage *journal.DamageError
		if _, err := run(t.Context(), all[0]); !errors.As(err, &damage) {
			t.Errorf("%s: a run: %v", name, err)
		}
		if _, err := participant.ReadAudit(all[0].Node.Dir); !errors.As(err, &damage) {
			t.Errorf("%s: the audit: %v", name, err)
		}
	}
	if err := os.WriteFile(path, ended, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs := runAll(background, all); errors.Join(errs...) != nil {
		t.Error(errs)
	}
}

// forge returns a journal with a digest of round 1 changed, and its line. The digests of the lines
// after it are right.
func forge(t *testing.T, path string) (forged []byte, line int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	previous := ""
	for at, b := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		var l journal.Line
		if err := json.Unmarshal(b, &l); err != nil {
			t.Fatal(err)
		}
		if l.Event == journal.Decided && l.Round == 1 {
			l.Digest, line = strings.Repeat("00", 32), at+1
		}
		if at > 0 {
			l.Previous = previous
		}
		if b, err = json.Marshal(l); err != nil {
			t.Fatal(err)
		}
		previous = fmt.Sprintf("%x", sha256.Sum256(b))
		forged = append(append(forged, b...), '\n')
	}
	return forged, line
}
