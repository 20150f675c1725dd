package model

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/npz"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/networks/beta"
	"github.com/collabdict/collabdict/internal/networks/multitask"
	"github.com/collabdict/collabdict/internal/run/report"
)

// isReadBack fails the test unless a network of two columns can be read back from its file,
// with the given number of draws per score, the same bytes when written again, and these
// arrays.
func isReadBack(t *testing.T, m *Model, draws int, want map[string][]int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.npz")
	if err := WriteFile(path, m); err != nil {
		t.Fatal(err)
	}
	first, _ := os.ReadFile(path)
	got, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := mat.NewDense(3, 2, []float64{10, 20, 12, 21, 9, 19})
	if !reflect.DeepEqual(score(got, rows), score(m, rows)) || !reflect.DeepEqual(got.Manifest, m.Manifest) {
		t.Error("the model that is read is another")
	}
	if got.Components() != 0 || got.Draws() != draws {
		t.Errorf("%d components, %d draws", got.Components(), got.Draws())
	}
	if err := WriteFile(path, got); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(path); !bytes.Equal(first, again) {
		t.Error("writing it again gives other bytes")
	}
	a, err := npz.Open(bytes.NewReader(first), int64(len(first)))
	if err != nil {
		t.Fatal(err)
	}
	for name, shape := range want {
		if _, _, err := (arrays{a}).Values(name, shape...); err != nil {
			t.Error(err)
		}
	}
}

func autoEncoder(t *testing.T) *Model {
	t.Helper()
	m := example(t)
	m.Manifest.Kind = "mtvae"
	hyper(t, m, `{"latent":1,"hidden":[3,4]}`)
	m.Learned = multitask.Trained{Model: multitask.NewModel(2, multitask.Config{Latent: 1, Hidden: []int{3, 4}, Seed: 5})}
	return m
}

func betaVAE(t *testing.T) *Model {
	t.Helper()
	m := example(t)
	m.Manifest.Kind = "bvae"
	hyper(t, m, `{"latent":1,"hidden":[4,3],"beta":0.5,"weights":"latent","offset":"auto","weigh_every":5}`)
	m.Manifest.Privacy.Weightings = []report.Weighting{{Name: "plant-a", Weight: 0.25, Discrepancy: report.Of(0.5)}, {Name: "plant-b", Weight: 0.75, Discrepancy: report.Of(0)}}
	m.Learned = beta.Trained{Model: beta.NewModel(beta.Config{Inputs: 2, Latent: 1, Hidden: []int{4, 3}, Beta: 0.5, Seed: 5})}
	return m
}

func TestNetworksAreRead(t *testing.T) {
	isReadBack(t, autoEncoder(t), multitask.DefaultDraws, map[string][]int{
		"encoder.0.weight": {2, 4}, "encoder.2.bias": {2}, "decoder.0.weight": {1, 3}, "decoder.1.bias": {4}, "decoder.2.weight": {4, 4},
	})
	isReadBack(t, betaVAE(t), 32, map[string][]int{
		"encoder.0.weight": {2, 4}, "encoder.2.bias": {2}, "decoder.0.weight": {1, 3}, "decoder.1.bias": {4}, "decoder.2.weight": {4, 2},
	})
}

// Errors on settings and arrays that do not fit give the name of the file.
func TestFilesThatAreNoNetwork(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.npz")
	for _, c := range []struct {
		of          func(*testing.T) *Model
		hyper, want string
	}{
		{autoEncoder, `{"latent":0}`, "latent: want 1 to 65536 dimensions, got 0"},
		{autoEncoder, `{"hidden":[-3]}`, "hidden: want 1 to 65536 units in layer 1, got -3"},
		{autoEncoder, `{"hidden":[3,1000000000]}`, "hidden: want 1 to 65536 units in layer 2, got 1000000000"},
		{autoEncoder, `{"hidden":[3,50000]}`, "encoder.0.weight: want shape [2 50000], got [2 4]"},
		{autoEncoder, `{"latent":4}`, "encoder.2.weight: want shape [3 8], got [3 2]"},
		{autoEncoder, `{"hidden":[4]}`, "encoder.1.weight: want shape [4 2], got [4 3]"},
		{betaVAE, `{"latent":0}`, "latent: want 1 to 65536 dimensions, got 0"},
		{betaVAE, `{"beta":0}`, "beta: want a finite value above 0, got 0"},
		{betaVAE, `{"beta":-1}`, "beta: want a finite value above 0, got -1"},
		{betaVAE, `{"hidden":[-3]}`, "hidden: want 1 to 65536 units in layer 1, got -3"},
		{betaVAE, `{"hidden":[4,50000]}`, "encoder.1.weight: want shape [4 50000], got [4 3]"},
		{betaVAE, `{"latent":4}`, "encoder.2.weight: want shape [3 8], got [3 2]"},
		{betaVAE, `{"hidden":[]}`, "encoder.0.weight: want shape [2 2], got [2 4]"},
		{betaVAE, `{"batch":-1}`, "batch: want at least 1 row, got -1"},
		{betaVAE, `{"condition":"cgau","hidden":[]}`, "hidden: want at least 1 layer of units with conditions"},
		{classified, `{"dropout":1}`, "dropout: want a probability from 0 to 0.99, got 1"},
		{betaVAE, `{"condition":"other"}`, "condition: want cgau, or nothing"},
		{classified, `{"classes":1}`, "classes: want 2 to 1000, or 0 to agree on the number in the data, got 1"},
		{classified, `{"classes":2000}`, "classes: want 2 to 1000, or 0 to agree on the number in the data, got 2000"},
		{classified, `{"hidden":[]}`, "hidden: want at least 1 layer of units with conditions"},
		{classified, `{"hidden":[4]}`, "classifier.0.weight: want shape [2 8], got [2 6]"},
		{classified, `{"classes":5}`, "classifier.2.weight: want shape [4 5], got [4 3]"},
	} {
		m := c.of(t)
		hyper(t, m, c.hyper)
		readsNot(t, path, m, c.want)
	}
	for want, of := range map[string]func(*testing.T) *Model{
		"decoder.1.bias: want finite weights in single precision, got +": func(t *testing.T) *Model {
			m := autoEncoder(t)
			m.Learned.(multitask.Trained).Decoder.Shared.Values[20] = float32(math.Inf(1))
			return m
		},
		"encoder.0.weight: want finite weights in single precision, got": func(t *testing.T) *Model {
			m := betaVAE(t)
			m.Learned.(beta.Trained).Parameters().Values[3] = float32(math.Inf(1))
			return m
		},
		"classifier.1.bias: want finite weights in single prec": func(t *testing.T) *Model {
			m := classified(t)
			m.Personal().Shared()[12+6+24] = float32(math.Inf(1))
			return m
		},
	} {
		readsNot(t, path, of(t), want)
	}
}

func classified(t *testing.T) *Model { return classifier(t, "none") }

func readsNot(t *testing.T, path string, m *Model, want string) {
	t.Helper()
	if err := WriteFile(path, m); err != nil {
		t.Fatal(err)
	}
	var e *Error
	if _, err := ReadFile(path); !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// Conditions are in a file of their own. Only its owner may read it, and it belongs to the
// weights that it was trained with.
func TestConditionsOfBetaVAEsAreRead(t *testing.T) {
	m := betaVAE(t)
	hyper(t, m, `{"condition":"cgau"}`)
	of := beta.NewModel(beta.Config{Inputs: 2, Latent: 1, Hidden: []int{4, 3}, Beta: 0.5, Conditioned: true, Seed: 5})
	for i := range of.Conditions().Values {
		of.Conditions().Values[i] = float32(i) / 8
	}
	m.Learned = beta.Conditioned{Trained: beta.Trained{Model: of}}
	dir := t.TempDir()
	if err := Save(dir, m); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, OwnFile)
	if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	got, err := ReadFile(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(2, 2, []float64{10, 20, 12, 21})
	if reflect.DeepEqual(score(got, x), score(m, x)) || len(got.Conditions()) != 2*2*7 {
		t.Errorf("the model's file has conditions %v", got.Conditions())
	}
	if err := got.ReadOwnFile(own); err != nil || !reflect.DeepEqual(score(got, x), score(m, x)) {
		t.Errorf("scores are others, %v", err)
	}
	m.Manifest.Standardise, m.Manifest.Participant, m.Manifest.Threshold = "own", "other", 7
	m.Scaling = rows.Scaling{Shift: []float64{1, 2}, Scale: []float64{3, 4}}
	if err := WriteOwnFile(own, m); err != nil {
		t.Fatal(err)
	}
	got.Manifest.Standardise = "own"
	if err := got.ReadOwnFile(own); err != nil || !reflect.DeepEqual(got.Scaling, m.Scaling) || got.Manifest.Threshold != 7 || got.Manifest.Participant != "other" {
		t.Errorf("got scaling %v, threshold %g of %s, %v", got.Scaling, got.Manifest.Threshold, got.Manifest.Participant, err)
	}
	of.Parameters().Values[0]++
	if err := m.ReadOwnFile(own); err == nil || !strings.Contains(err.Error(), "want conditions for these weights") {
		t.Errorf("got %v", err)
	}
	if err := betaVAE(t).ReadOwnFile(own); err == nil || !strings.Contains(err.Error(), "want a model with conditions, got one of kind bvae without") {
		t.Errorf("got %v", err)
	}
}
