package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/ggm"
	"github.com/collabdict/collabdict/internal/ops/operate"
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
	s, err := readState(path, filepath.Join(dir, model.File))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Scores) != 2 || !strings.HasPrefix(s.Scores[0], "5.41") || !strings.HasPrefix(s.Scores[1], "8.91") {
		t.Errorf("got %q, want those of the last two of\n%s", s.Scores, out)
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
