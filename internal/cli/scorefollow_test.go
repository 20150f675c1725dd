package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/internal/serve"
	"github.com/collabdict/collabdict/internal/testkit"
)

// followFile scores a file that is followed. At each look at it, step is called, which returns false to end.
func followFile(t *testing.T, dir, path, state, threshold string, step func() bool) (lines []string, err error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var turn sync.Mutex
	after := func(d time.Duration) <-chan time.Time {
		turn.Lock()
		defer turn.Unlock()
		c := make(chan time.Time)
		close(c)
		if d == lookAgain && !step() {
			cancel()
		}
		return c
	}
	var out bytes.Buffer
	s := scoreFlags{follow: path, state: state}
	s.model, s.missing, s.text = dir, dataset.KeepMissing, threshold
	if err := s.checkFollow(); err != nil {
		return nil, err
	}
	_, err = (&app{out: &out, err: io.Discard, after: after}).scoreRows(ctx, &s)
	lines = strings.Split(strings.TrimSpace(out.String()), "\n")
	return lines, err
}

// rowsIn returns the number of rows that a state comes after, 0 if there is none.
func rowsIn(t *testing.T, state string) int {
	t.Helper()
	text, err := os.ReadFile(state)
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	of, err := scoring.ParseState(text)
	if err != nil {
		t.Fatal(err)
	}
	return of.Rows.Rows
}

// followEvents prints the events of a file that is followed until one begins.
func followEvents(t *testing.T, dir, path string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &hook{wrote: func(all string) {
		if strings.Contains(all, "began") {
			cancel()
		}
	}}
	root := (&app{out: out, err: io.Discard, after: func(time.Duration) <-chan time.Time {
		c := make(chan time.Time)
		close(c)
		return c
	}}).root()
	root.SetArgs([]string{"score", dir, "--follow", path, "--events"})
	err := root.ExecuteContext(ctx)
	return out.String(), err
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// Rows of a file that grows and is rotated have the lines of one long file: none is lost or comes twice, also if
// the process ends and another one goes on.
func TestFollowedRowsAreOneSeries(t *testing.T) {
	testkit.SkipRaced(t)
	dir := folderOfModel(t)
	random := rand.New(rand.NewPCG(1, 2))
	const rows = 200
	var all []string
	for i := range rows {
		all = append(all, fmt.Sprintf("%d,%.3f\n", i, random.NormFloat64()))
	}
	whole := filepath.Join(t.TempDir(), "whole.csv")
	appendTo(t, whole, "at,x\n"+strings.Join(all, ""))
	var out bytes.Buffer
	root := (&app{out: &out, err: io.Discard}).root()
	root.SetArgs([]string{"score", dir, whole, "--threshold", "rolling:3"})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(out.String()), "\n")[1:]
	for trial := range 20 {
		folder := t.TempDir()
		path, state := filepath.Join(folder, "rows.csv"), filepath.Join(folder, "state.json")
		next, part, rotations, rotate := 0, "", 0, false
		appendTo(t, path, "at,x\n")
		step := func() (waits bool) { // some rows, the last of them in two parts, or a rotation
			switch {
			case rotate && rowsIn(t, state) < next: // no file is passed over unread
				return true
			case rotate:
				rotate, rotations = false, rotations+1
				if err := os.Rename(path, fmt.Sprint(path, ".", rotations)); err != nil {
					t.Error(err)
				}
				appendTo(t, path, "at,x\n")
			case next == rows && part == "":
				return true
			default:
				to := min(rows, next+1+random.IntN(9))
				text := part + strings.Join(all[next:to], "")
				cut := len(text)
				if next = to; next < rows {
					cut -= random.IntN(3)
				}
				appendTo(t, path, text[:cut])
				part = text[cut:]
				rotate = part == "" && random.IntN(3) == 0
			}
			return false
		}
		var got []string
		for life := 0; len(got) < rows && life < 500; life++ {
			looks := 1 + random.IntN(20)
			lines, err := followFile(t, dir, path, state, "rolling:3", func() bool {
				if !step() {
					looks--
				}
				return looks > 0 && rowsIn(t, state) < rows
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(lines) > 1 {
				got = append(got, lines[1:]...)
			}
		}
		if trial == 0 && rotations == 0 {
			t.Error("nothing was rotated")
		}
		if !slices.Equal(got, want) {
			t.Fatalf("trial %d, %d rotations: got %d lines, want %d\n%s", trial, rotations, len(got), len(want), strings.Join(got, "\n"))
		}
	}
}

// A file with other columns in the place of the one before ends the command.
func TestAFollowedFileWithOtherColumns(t *testing.T) {
	dir := folderOfModel(t)
	path := filepath.Join(t.TempDir(), "rows.csv")
	appendTo(t, path, "at,x\n1,2\n")
	renamed := false
	lines, err := followFile(t, dir, path, "", "", func() bool {
		if !renamed {
			if err := os.Rename(path, path+".1"); err != nil {
				t.Error(err)
			}
			appendTo(t, path, "at,pressure,flow\n1,2,3\n")
		}
		renamed = true
		return true
	})
	bad, ok := errors.AsType[*dataset.Error](err)
	if !ok || bad.File != path || !strings.Contains(bad.Error(), `"x"; columns are "at", "pressure"`) || len(lines) != 2 {
		t.Errorf("got %v after %q", err, lines)
	}
}

func TestFollowContradicts(t *testing.T) {
	dir := folderOfModel(t)
	zipped := filepath.Join(t.TempDir(), "rows.csv.gz")
	if err := os.WriteFile(zipped, []byte{0x1f, 0x8b, 8, 0}, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flag string
		args []string
	}{
		{"data", []string{dir, "a.csv", "--follow", "b.csv"}},
		{"output", []string{dir, "--follow", "b.csv", "-o", "c.csv"}},
		{"plots", []string{dir, "--follow", "b.csv", "--plots", "c"}},
		{"state", []string{dir, "--follow", "b.csv", "--state", "./b.csv"}},
		{"model", []string{filepath.Dir(dir), "--follow", "b.csv"}},
		{"follow", []string{dir, "--follow", zipped}},
		{"follow", []string{dir, "--follow", dir}},
	} {
		root := (&app{out: io.Discard, err: io.Discard}).root()
		root.SetArgs(append([]string{"score"}, c.args...))
		if of, ok := errors.AsType[*flagError](root.ExecuteContext(t.Context())); !ok || of.flag != c.flag {
			t.Errorf("%q: got %v, want an error of --%s", c.args, of, c.flag)
		}
	}
}

// Events of rows that come without end go to the webhook of the rules, and those of files do not.
func TestEventsOfAStreamGoToTheWebhook(t *testing.T) {
	dir := folderOfModel(t)
	var mu sync.Mutex
	var told []serve.Told
	h := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		var of serve.Told
		if err := json.NewDecoder(r.Body).Decode(&of); err != nil {
			t.Error(err)
		}
		told = append(told, of)
	}))
	defer h.Close()
	if err := os.WriteFile(filepath.Join(dir, scoring.RulesFile), []byte("webhook: {url: '"+h.URL+"'}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path, state := filepath.Join(dir, "rows.csv"), filepath.Join(dir, "state.json")
	appendTo(t, path, "at,x\n1,0\n2,9\n3,9\n")
	root := (&app{out: io.Discard, err: io.Discard}).root()
	root.SetArgs([]string{"score", dir, path})
	if err := root.ExecuteContext(t.Context()); err != nil || len(told) != 0 {
		t.Fatalf("of a file: %v, %v", err, told)
	}
	text, err := followEvents(t, dir, path)
	if err != nil || strings.Count(text, "\n") != 2 || !strings.Contains(text, `"status":"ended"`) || len(told) != 2 {
		t.Errorf("printed %s, %v, and sent %+v", text, err, told)
	}
	told = nil
	for _, rows := range []int{3, 11} {
		_, err := followFile(t, dir, path, state, "", func() bool { return rowsIn(t, state) < rows })
		if err != nil {
			t.Fatal(err)
		}
		appendTo(t, path, "4,9\n5,0\n6,0\n7,0\n8,0\n9,0\n10,9\n11,0\n")
	}
	var got []string
	for _, of := range told {
		got = append(got, fmt.Sprint(of.Status, " ", of.Event.First, "-", of.Event.Last, " ", of.Source == path))
	}
	if want := []string{"began 2-3 true", "ended 2-4 true", "began 10-10 true"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
