package model

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/npz"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/networks/cgau"
)

func classifier(t testing.TB, standardise string) *Model {
	t.Helper()
	m := example(t)
	m.Manifest.Kind, m.Manifest.Standardise, m.Manifest.Threshold, m.Manifest.FalseAlarm = "cgau", standardise, 0, 0
	hyper(t, m, `{"hidden":[3,4],"classes":3,"dropout":0.5,"rate":0.1,"momentum":0.9,"batch":32,"local_steps":10,"seed":5}`)
	g := cgau.Trained{Model: cgau.NewModel(cgau.Config{Inputs: 2, Classes: 3, Hidden: []int{3, 4}, Dropout: 0.5, Rate: 0.1, Momentum: 0.9, Batch: 32, Steps: 10, Seed: 5})}
	for i := range g.Conditions().Values {
		g.Conditions().Values[i] = float32(i) / 8
	}
	g.Shared()[0]++ // so that the mean of all conditions is not 0
	m.Learned = g
	return m
}

func probabilities(t *testing.T, m *Model) []float64 {
	t.Helper()
	p, err := m.Classifier().Probabilities(m.Trained(mat.NewDense(3, 2, []float64{10, 20, 12, 21, 9, 19})))
	if err != nil {
		t.Fatal(err)
	}
	return p.RawMatrix().Data
}

// The model's file has the shared part only. The other file has the private parameters, and only
// its owner may read it.
func TestClassifiersAreRead(t *testing.T) {
	for _, standardise := range []string{"own", "global"} {
		m := classifier(t, standardise)
		dir := t.TempDir()
		if err := Save(dir, m); err != nil {
			t.Fatal(err)
		}
		got, err := ReadFile(filepath.Join(dir, File))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Manifest, m.Manifest) || got.Scorer() != nil || got.Complete() != (standardise == "global") {
			t.Errorf("%s: got %+v", standardise, got)
		}
		config := m.Learned.(cgau.Trained).Config()
		config.Seed = 0 // in the manifest
		if of := got.Learned.(cgau.Trained).Config(); slices.Max(got.Conditions()) != 0 || got.WeightsDigest() != m.WeightsDigest() || !reflect.DeepEqual(of, config) {
			t.Errorf("%s: got conditions %v and %+v, want %+v", standardise, got.Conditions(), of, config)
		}
		own := filepath.Join(dir, OwnFile)
		if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if err := got.ReadOwnFile(own); err != nil {
			t.Fatal(err)
		}
		if p := probabilities(t, got); !slices.Equal(p, probabilities(t, m)) || len(p) != 9 {
			t.Errorf("%s: got %v", standardise, p)
		}
		// Other conditions, and another scaling, change nothing in the model's file.
		first, _ := os.ReadFile(filepath.Join(dir, File))
		clear(m.Conditions())
		if standardise == "own" {
			m.Scaling = rows.Unscaled(2)
		}
		if err := Save(dir, m); err != nil {
			t.Fatal(err)
		}
		if again, _ := os.ReadFile(filepath.Join(dir, File)); !bytes.Equal(first, again) {
			t.Errorf("%s: the file of the model reveals the private part", standardise)
		}
	}
}

// hyper sets the options of a file.
func hyper(t testing.TB, m *Model, text string) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &m.Manifest.Hyper); err != nil {
		t.Fatal(err)
	}
}

func TestFilesThatAreNoOwnPart(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, OwnFile)
	m := classifier(t, "none")
	write := func(w *Model) {
		t.Helper()
		if err := WriteOwnFile(path, w); err != nil {
			t.Fatal(err)
		}
	}
	for want, prepare := range map[string]func() *Model{
		"no such file of conditions":                                func() *Model { return m },
		"want a model with conditions, got one of kind ggm without": func() *Model { write(m); return example(t) },
		"want conditions for these weights": func() *Model {
			other := classifier(t, "none")
			other.Personal().Shared()[3]++
			write(other)
			return m
		},
		"shift.npy": func() *Model { write(m); return classifier(t, "own") },
		`"collabdict own part" of version`: func() *Model {
			if err := WriteFile(path, m); err != nil {
				t.Fatal(err)
			}
			return m
		},
		"want finite weights": func() *Model {
			other := classifier(t, "none")
			other.Conditions()[1] = float32(math.Inf(1))
			write(other)
			return m
		},
	} {
		os.Remove(path)
		of := prepare()
		before := slices.Clone(of.Conditions())
		if err := of.ReadOwnFile(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if !slices.Equal(before, of.Conditions()) {
			t.Errorf("%s: conditions have changed", want)
		}
	}
}

// Reading any bytes as private parameters ends with a model or an error.
func FuzzOwnPart(f *testing.F) {
	m := classifier(f, "own")
	var b bytes.Buffer
	if err := m.WriteOwn(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	b.Reset()
	w := npz.NewWriter(&b)
	if err := w.File(manifest, []byte(`{"format":"collabdict own part","version":1}`)); err != nil {
		f.Fatal(err)
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		m := classifier(t, "own")
		m.Scaling = rows.Scaling{}
		if err := m.ReadOwn(bytes.NewReader(data), int64(len(data))); err == nil && !m.Complete() {
			t.Error("no error, and no scaling")
		}
	})
}
