package model

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/npz"
	"github.com/collabdict/collabdict/internal/report"
	"gonum.org/v1/gonum/mat"
)

func example(t testing.TB) *Model {
	t.Helper()
	mixture, err := gmm.NewMixture([]float64{0.25, 0.75}, mat.NewDense(2, 2, []float64{0, 1, 2, 3}),
		[]*mat.SymDense{mat.NewSymDense(2, []float64{2, 0.5, 0.5, 1}), mat.NewSymDense(2, []float64{1, 0, 0, 4})})
	if err != nil {
		t.Fatal(err)
	}
	return &Model{
		Mixture: mixture, Scaling: dataset.Scaling{Shift: []float64{10, 20}, Scale: []float64{2, 0.5}},
		Manifest: Manifest{
			Kind: GGM, Participant: "plant-a", Columns: []string{"temp", "flow"}, Standardise: "own",
			Threshold: 4, FalseAlarm: 0.01, Rounds: 3, Objective: report.Of(-12.5), Rows: 7, TotalRows: 20,
			Views: []report.View{{Round: 1, Members: []string{"plant-a", "plant-b"}, Missing: []report.Missing{}}},
		},
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	m := example(t)
	path := filepath.Join(t.TempDir(), "sub", "model.npz")
	if err := Write(path, m); err != nil {
		t.Fatal(err)
	}
	first, _ := os.ReadFile(path)
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Manifest, m.Manifest) || !reflect.DeepEqual(got.Scaling, m.Scaling) {
		t.Errorf("got %+v, want %+v", got.Manifest, m.Manifest)
	}
	rows := mat.NewDense(3, 2, []float64{10, 20, 12, 21, 9, 19})
	if !reflect.DeepEqual(got.Score(rows), m.Score(rows)) {
		t.Error("the model that is read scores otherwise")
	}
	if err := Write(path, got); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(path); !bytes.Equal(first, again) {
		t.Error("writing it again gives other bytes")
	}
}

func TestFilesThatAreNoModel(t *testing.T) {
	dir := t.TempDir()
	file := func(content func(*npz.Writer)) string {
		var b bytes.Buffer
		w := npz.NewWriter(&b)
		content(w)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "m.npz")
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	manifestOf := func(text string) func(*npz.Writer) {
		return func(w *npz.Writer) {
			if err := w.File("manifest.json", []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	const good = `"format":"collabdict model","version":1,"kind":"ggm"`
	for want, content := range map[string]func(*npz.Writer){
		`"manifest.json"`:                                               func(*npz.Writer) {},
		"manifest.json: invalid":                                        manifestOf("x"),
		`want format "collabdict model", got ""`:                        manifestOf("{}"),
		"want model version 1, got 2; use the collabdict that wrote it": manifestOf(`{"format":"collabdict model","version":2}`),
		`want a model of kind "ggm", got "vae"`:                         manifestOf(`{"format":"collabdict model","version":1,"kind":"vae"}`),
		"want at least one column":                                      manifestOf("{" + good + "}"),
		`"weights.npy"`:                                                 manifestOf("{" + good + `,"columns":["a"]}`),
	} {
		_, err := Read(file(content))
		var typed *Error
		if !errors.As(err, &typed) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := Read(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "no such model file") {
		t.Errorf("got %v", err)
	}
}
