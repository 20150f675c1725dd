package model

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/npz"
	"github.com/collabdict/collabdict/vae/cgau"
	"gonum.org/v1/gonum/mat"
)

func classifier(t testing.TB, standardise string) *Model {
	t.Helper()
	m := example(t)
	m.Manifest.Kind, m.Manifest.Standardise, m.Manifest.Threshold, m.Manifest.FalseAlarm = CGAU, standardise, 0, 0
	h := &m.Manifest.Hyper
	h.Hidden, h.Classes, h.Dropout, h.Rate, h.Momentum, h.Batch, h.LocalSteps, h.Seed = []int{3, 4}, 3, 0.5, 0.1, 0.9, 32, 10, 5
	g := Gated{cgau.NewModel(cgau.Config{Inputs: 2, Classes: 3, Hidden: h.Hidden, Dropout: 0.5, Rate: 0.1, Momentum: 0.9, Batch: 32, Steps: 10, Seed: 5})}
	for i := range g.Conditions().Values {
		g.Conditions().Values[i] = float32(i) / 8
	}
	g.Shared().Values[0]++ // so that the mean of all conditions is not 0
	m.Scorer, m.Classifier = nil, g
	return m
}

func probabilities(t *testing.T, m *Model) []float64 {
	t.Helper()
	p, err := m.Classifier.Probabilities(m.Trained(mat.NewDense(3, 2, []float64{10, 20, 12, 21, 9, 19})))
	if err != nil {
		t.Fatal(err)
	}
	return p.RawMatrix().Data
}

// The file of the model has what is shared alone; that of the own part what is the
// participant's, which nobody else may read.
func TestClassifiersAreRead(t *testing.T) {
	for _, standardise := range []string{"own", "global"} {
		m := classifier(t, standardise)
		dir := t.TempDir()
		if err := Save(dir, m); err != nil {
			t.Fatal(err)
		}
		got, err := Read(filepath.Join(dir, File))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Manifest, m.Manifest) || got.Scorer != nil || got.Complete() != (standardise == "global") {
			t.Errorf("%s: got %+v", standardise, got)
		}
		if g, w := got.Classifier.(Gated), m.Classifier.(Gated); slices.Max(g.Conditions().Values) != 0 || g.WeightsDigest() != w.WeightsDigest() || !reflect.DeepEqual(g.Config(), w.Config()) {
			t.Errorf("%s: got conditions %v", standardise, g.Conditions().Values)
		}
		own := filepath.Join(dir, OwnFile)
		if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if err := got.ReadOwn(own); err != nil {
			t.Fatal(err)
		}
		if p := probabilities(t, got); !slices.Equal(p, probabilities(t, m)) || len(p) != 9 {
			t.Errorf("%s: got %v", standardise, p)
		}
		// Other conditions, and another scaling, change nothing in the model's file.
		first, _ := os.ReadFile(filepath.Join(dir, File))
		clear(m.Classifier.(Gated).Conditions().Values)
		if standardise == "own" {
			m.Scaling = dataset.Unscaled(2)
		}
		if err := Save(dir, m); err != nil {
			t.Fatal(err)
		}
		if again, _ := os.ReadFile(filepath.Join(dir, File)); !bytes.Equal(first, again) {
			t.Errorf("%s: the file of the model tells of the own part", standardise)
		}
	}
}

func TestFilesThatAreNoClassifier(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.npz")
	for want, change := range map[string]func(*Model){
		"want classes of at least 2, got 1":                     func(m *Model) { m.Manifest.Hyper.Classes = 1 },
		"at most 1000 classes, got [3 4] and 2000":              func(m *Model) { m.Manifest.Hyper.Classes = 2000 },
		"want at least one hidden layer":                        func(m *Model) { m.Manifest.Hyper.Hidden = nil },
		"classifier.0.weight: want shape [2 8], got [2 6]":      func(m *Model) { m.Manifest.Hyper.Hidden = []int{4} },
		"classifier.2.weight: want shape [4 5], got [4 3]":      func(m *Model) { m.Manifest.Hyper.Classes = 5 },
		"classifier.1.bias: want finite weights in single prec": func(m *Model) { m.Classifier.(Gated).Shared().Values[12+6+24] = float32(math.Inf(1)) },
	} {
		m := classifier(t, "none")
		change(m)
		if err := Write(path, m); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestFilesThatAreNoOwnPart(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, OwnFile)
	m := classifier(t, "none")
	write := func(w *Model) {
		t.Helper()
		if err := WriteOwn(path, w); err != nil {
			t.Fatal(err)
		}
	}
	for want, prepare := range map[string]func() *Model{
		"no such file of conditions":                                func() *Model { return m },
		"want a model with conditions, got one of kind ggm without": func() *Model { write(m); return example(t) },
		"want conditions for these weights": func() *Model {
			other := classifier(t, "none")
			other.Classifier.(Gated).Shared().Values[3]++
			write(other)
			return m
		},
		"shift.npy": func() *Model { write(m); return classifier(t, "own") },
		`"collabdict own part" of version`: func() *Model {
			if err := Write(path, m); err != nil {
				t.Fatal(err)
			}
			return m
		},
		"want finite weights": func() *Model {
			other := classifier(t, "none")
			other.Classifier.(Gated).Conditions().Values[1] = float32(math.Inf(1))
			write(other)
			return m
		},
	} {
		os.Remove(path)
		of := prepare()
		var before []float32
		if g, ok := of.Classifier.(Gated); ok {
			before = slices.Clone(g.Conditions().Values)
		}
		if err := of.ReadOwn(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if g, ok := of.Classifier.(Gated); ok && !slices.Equal(before, g.Conditions().Values) {
			t.Errorf("%s: conditions have changed", want)
		}
	}
}

// Whatever the bytes are, reading an own part ends with a model or an error.
func FuzzOwnPart(f *testing.F) {
	m := classifier(f, "own")
	var b bytes.Buffer
	if err := m.writeOwn(&b); err != nil {
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
		m.Scaling = dataset.Scaling{}
		if err := m.readOwnPart(bytes.NewReader(data), int64(len(data))); err == nil && !m.Complete() {
			t.Error("no error, and no scaling")
		}
	})
}
