package participant_test

import (
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/node"
)

// A later run keeps the results of an earlier one in a folder of that run, once, also if its process
// is stopped and resumes. A resumed run does not keep its own.
func TestALaterRunKeepsTheEarlierResults(t *testing.T) {
	all, _ := configs(t, 3, learn(t, 4))
	for i := range all {
		all[i].Keep = true
	}
	background := []context.Context{t.Context(), t.Context(), t.Context()}
	contents := func(dir string) (b []byte) {
		t.Helper()
		for _, name := range []string{participant.ModelFile, participant.ResultFile} {
			part, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			b = append(b, part...)
		}
		return b
	}
	ids := map[string]bool{}
	train := func(contexts []context.Context) ([]*participant.Result, []error) {
		results, errs := runAll(contexts, all)
		for i, r := range results {
			if r != nil {
				if id, err := hex.DecodeString(r.Report.ID); err != nil || len(id) != 32 {
					t.Fatalf("%s: the result has the identity %q", all[i].Data.Name, r.Report.ID)
				}
				ids[r.Report.ID] = true
			}
		}
		return results, errs
	}

	// The first run is stopped after one of its rounds, and resumed.
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for i := range all {
		all[i].OnRound = func(p algorithm.Progress, _ node.Status) {
			if p.Number == 2 {
				stop()
			}
		}
	}
	train([]context.Context{ctx, ctx, ctx})
	for i := range all {
		all[i].OnRound = nil
	}
	results, errs := train(background)
	if err := errors.Join(errs...); err != nil || len(ids) != 1 {
		t.Fatalf("%v, %d runs", err, len(ids))
	}
	var first [][]byte
	for i, r := range results {
		if r.Kept != "" {
			t.Errorf("%s: the first run has kept %s", all[i].Data.Name, r.Kept)
		}
		first = append(first, contents(all[i].Out))
	}
	id := results[0].Report.ID

	for range 2 { // the second of these keeps the first of them
		if results, errs = train(background); errors.Join(errs...) != nil {
			t.Fatal(errors.Join(errs...))
		}
	}
	for i, r := range results {
		dir := filepath.Join(all[i].Out, "run-"+id[:16])
		if got := contents(dir); string(got) != string(first[i]) {
			t.Errorf("%s: the kept results of the first run differ from its results", all[i].Data.Name)
		}
		if r.Kept == dir || filepath.Dir(r.Kept) != all[i].Out {
			t.Errorf("%s: the third run says that it has kept %q", all[i].Data.Name, r.Kept)
		}
		kept, err := filepath.Glob(filepath.Join(all[i].Out, "*run-*"))
		if err != nil || len(kept) != 2 {
			t.Errorf("%s: kept %q, want two runs (%v)", all[i].Data.Name, kept, err)
		}
	}
}

// A result that does not name its run, or names a path, is kept under the time of its model.
func TestResultsOfAnUnknownRunAreKept(t *testing.T) {
	for name, result := range map[string]string{"no result": "", "no run": "{}", "no JSON": "{", "a path": `{"run": "../../../../0123456789abcdef"}`} {
		all, _ := configs(t, 3, learn(t, 1))
		all[0].Keep = true
		at := time.Date(2026, 11, 22, 8, 15, 0, 0, time.UTC)
		path := filepath.Join(all[0].Out, participant.ModelFile)
		err := os.WriteFile(path, []byte("a model"), 0o600)
		if result != "" {
			err = errors.Join(err, os.WriteFile(filepath.Join(all[0].Out, participant.ResultFile), []byte(result), 0o600))
		}
		if err := errors.Join(err, os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
		results, errs := runAll([]context.Context{t.Context(), t.Context(), t.Context()}, all)
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		want := filepath.Join(all[0].Out, "run-20261122T081500Z")
		b, err := os.ReadFile(filepath.Join(want, participant.ModelFile))
		if results[0].Kept != want || err != nil || string(b) != "a model" {
			t.Errorf("%s: kept %q, want %q; the model in it: %q, %v", name, results[0].Kept, want, b, err)
		}
	}
}
