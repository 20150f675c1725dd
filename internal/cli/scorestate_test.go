package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/ggm"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/model"
)

// modelOfX returns a model of the column x that is normal.
func modelOfX(t *testing.T, falseAlarm float64) *model.Model {
	t.Helper()
	mixture, err := gmm.NewMixture([]float64{1}, mat.NewDense(1, 1, nil), []*mat.SymDense{mat.NewSymDense(1, []float64{1})})
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(ggm.Kind.Name, ggm.Kind.New().Options(), []string{"x"}, mixture)
	if err != nil {
		t.Fatal(err)
	}
	m.Manifest.Threshold, m.Manifest.FalseAlarm = 4, falseAlarm
	return m
}

// folderOfModel writes a model of the column x into a new folder.
func folderOfModel(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := model.Save(dir, modelOfX(t, 0.5)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// hook calls after each write a function with all that was written.
type hook struct {
	bytes.Buffer
	wrote func(all string)
}

func (h *hook) Write(p []byte) (int, error) {
	n, err := h.Buffer.Write(p)
	h.wrote(h.String())
	return n, err
}

// The state of an interrupted stream is that of the rows whose lines were written.
func TestStateOfAnInterruptedStream(t *testing.T) {
	dir := folderOfModel(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = stdin }()
	defer w.Close()
	if _, err := io.WriteString(w, "x\n1\n2\n3\n4\n"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	out := &hook{wrote: func(all string) {
		if strings.Count(all, "\n") > 4 {
			cancel()
		}
	}}
	path := filepath.Join(dir, "state.json")
	root := (&app{out: out, err: io.Discard}).root()
	root.SetArgs([]string{"score", dir, "-", "--threshold", "rolling:2", "--state", path})
	if err := root.ExecuteContext(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v\n%s", err, out)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scoring.ParseState(text)
	if err != nil {
		t.Fatal(err)
	}
	if s.Rows.Rows != 4 || len(s.Scores) != 2 || !strings.HasPrefix(s.Scores[0], "5.41") || !strings.HasPrefix(s.Scores[1], "8.91") {
		t.Errorf("got %q, want those of the last two of\n%s", s.Scores, out)
	}
}

// Pieces of a file have the lines of the whole, and an event goes on from one to the next.
func TestPiecesAreOneSeries(t *testing.T) {
	dir := folderOfModel(t)
	score := func(text string, args ...string) []string {
		path := filepath.Join(dir, "rows.csv")
		if err := os.WriteFile(path, []byte("at,x\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		root := (&app{out: &out, err: io.Discard}).root()
		root.SetArgs(append([]string{"score", dir, path}, args...))
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(out.String()), "\n")[1:]
	}
	whole := score("1,0\n2,9\n3,9\n4,9\n5,0\n6,9\n7,0\n")
	state := filepath.Join(dir, "state.json")
	pieces := slices.Concat(score("1,0\n2,9\n", "--state", state), score("3,9\n4,9\n", "--state", state), score("5,0\n6,9\n7,0\n", "--state", state))
	if !slices.Equal(pieces, whole) {
		t.Errorf("got %q, want %q", pieces, whole)
	}
	events := func(text string) (all []scoring.Event) {
		var found scoring.Events
		lines := score(text, "--state", state, "--json")
		if err := json.Unmarshal([]byte("{"+strings.Join(lines, "\n")), &found); err != nil {
			t.Fatal(err)
		}
		return found.Events
	}
	for i, c := range []struct {
		text                   string
		first, last, anomalies int // all 0 for no event
	}{{"8,9\n9,0\n", 2, 8, 5}, {"10,0\n", 0, 0, 0}, {"11,9\n", 2, 11, 6}, {"12,0\n13,0\n14,0\n15,0\n", 0, 0, 0}, {"16,9\n", 16, 16, 1}} {
		got := events(c.text)
		if len(got) == 0 && c.first == 0 {
			continue
		}
		if len(got) != 1 || got[0].First != c.first || got[0].Last != c.last || got[0].Anomalies != c.anomalies {
			t.Errorf("piece %d: got %+v, want rows %d to %d with %d anomalies", i+4, got, c.first, c.last, c.anomalies)
		}
	}
}

// A state, or a folder of results, that another process writes is refused.
func TestOneProcessWrites(t *testing.T) {
	dir := folderOfModel(t)
	rows, state := filepath.Join(dir, "rows.csv"), filepath.Join(dir, "state.json")
	if err := os.WriteFile(rows, []byte("x\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	execute := func(args ...string) error {
		root := (&app{out: io.Discard, err: io.Discard}).root()
		root.SetArgs(args)
		return root.ExecuteContext(t.Context())
	}
	score := func() error { return execute("score", dir, rows, "--state", state) }
	release, err := holdState(state)
	if err != nil {
		t.Fatal(err)
	}
	if flag, ok := errors.AsType[*flagError](score()); !ok || flag.flag != "state" {
		t.Errorf("a state in use: got %v", flag)
	}
	release()
	if err := score(); err != nil {
		t.Errorf("a state that was released: %v", err)
	}

	out := filepath.Join(dir, "out")
	sim := func() error {
		return execute("sim", "--generate", "participants=3,rows=20,columns=2,patterns=1", "--components", "1", "--rounds", "1", "--out", out)
	}
	folder, err := operate.Hold(out)
	if err != nil {
		t.Fatal(err)
	}
	if held, ok := errors.AsType[*operate.InUseError](sim()); !ok || held.Dir != out {
		t.Errorf("a folder in use: got %v", held)
	}
	if err := folder.Release(); err != nil {
		t.Fatal(err)
	}
	if err := sim(); err != nil {
		t.Errorf("a folder that was released: %v", err)
	}
}
