package participant_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/node"
)

// A said holds the warnings of all members, each with the number of rounds that its member had
// completed.
type said struct {
	mu    sync.Mutex
	lines []string
}

func (s *said) listen(all []participant.Config) {
	for i := range all {
		rounds := 0
		all[i].OnRound = func(p algorithm.Progress, _ node.Status) { rounds = p.Number }
		all[i].OnWarning = func(w report.Warning) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.lines = append(s.lines, fmt.Sprintf("%s, round %d: %s", all[i].Data.Name, rounds, w.Text))
		}
	}
}

// runsIn returns the number of runs recorded in a folder.
func runsIn(t *testing.T, dir string) int {
	t.Helper()
	runs := 0
	if _, err := journal.Check(dir, func(l journal.Line) {
		if l.Event == journal.Begun {
			runs++
		}
	}); err != nil {
		t.Fatal(err)
	}
	return runs
}

// Members that train again on the same rows get no warning, even if one of them is restarted
// during the run. If one has changed a row since, all are warned before the first round.
func TestASecondRunWithOneRowChanged(t *testing.T) {
	all, parts := configs(t, 3, learn(t, 4))
	background := []context.Context{t.Context(), t.Context(), t.Context()}
	train := func(what string, contexts []context.Context) ([]*participant.Result, *said) {
		t.Helper()
		s := &said{}
		s.listen(all)
		results, errs := runAll(contexts, all)
		if err := errors.Join(errs...); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return results, s
	}
	quiet := func(what string, results []*participant.Result, s *said, runs int) {
		t.Helper()
		for i, r := range results {
			if r.Report.Protection.PastRun != nil || strings.Contains(strings.Join(r.Report.Warnings, "\n"), "differ") {
				t.Errorf("%s: the result of %s reports another run: %+v, %q", what, parts[i].Name, r.Report.Protection.PastRun, r.Report.Warnings)
			}
			if n := runsIn(t, all[i].Out); n != runs {
				t.Errorf("%s: %s has entered %d runs, want %d", what, parts[i].Name, n, runs)
			}
		}
		if len(s.lines) > 0 {
			t.Errorf("%s: warnings %q", what, s.lines)
		}
	}
	results, s := train("the first run", background)
	quiet("the first run", results, s, 1)

	// The last member is stopped after its second round, and comes back.
	stopped, stop := context.WithCancel(t.Context())
	s = &said{}
	s.listen(all)
	last := all[2]
	last.OnRound = func(p algorithm.Progress, _ node.Status) {
		if p.Number == 2 {
			stop()
		}
	}
	var back *participant.Result
	var backErr error
	var running sync.WaitGroup
	running.Go(func() {
		if _, err := run(stopped, last); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped: got %v", err)
		}
		back, backErr = run(t.Context(), all[2])
	})
	results, errs := runAll(background[:2], all[:2])
	running.Wait()
	if err := errors.Join(append(errs, backErr)...); err != nil {
		t.Fatal(err)
	}
	quiet("started again", append(results, back), s, 2)

	changed := mat.DenseCopyOf(parts[1].Train.(rows.Matrix).Dense)
	changed.Set(7, 0, changed.At(7, 0)+1)
	all[1].Data.Train = rows.InMemory(changed)
	results, s = train("one row changed", background)
	want := fmt.Sprintf("by 1 member (%s has other rows): by subtracting the totals, N, mean and covariance of the rows that differ become known to all members of both. Only noise, or at least 3 changes at once, hide it", parts[1].Name)
	for i, r := range results {
		p := r.Report.Protection.PastRun
		if p == nil || fmt.Sprint(p.Changed) != fmt.Sprint([]string{parts[1].Name}) || p.Least != 1 || p.Most != 1 || p.Enough != 3 || p.OtherSettings {
			t.Errorf("the result of %s: got %+v", parts[i].Name, p)
		}
		if text := strings.Join(r.Report.Warnings, "\n"); strings.Count(text, want) != 1 {
			t.Errorf("the result of %s: want %q once in %q", parts[i].Name, want, text)
		}
		saved, err := model.ReadFile(filepath.Join(all[i].Out, participant.ModelFile))
		if err != nil {
			t.Fatal(err)
		}
		if saved.Manifest.Privacy.Protection.PastRun == nil {
			t.Errorf("the model of %s does not report the earlier run", parts[i].Name)
		}
	}
	for _, line := range s.lines {
		if !strings.Contains(line, want) || !strings.Contains(line, ", round 0: ") {
			t.Errorf("got %q", line)
		}
	}
	if len(s.lines) != 3 {
		t.Errorf("want a warning at each member, got %q", s.lines)
	}
}
