package model

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/vae/beta"
	"gonum.org/v1/gonum/mat"
)

func betaVAE(t testing.TB) *Model {
	t.Helper()
	m := example(t)
	m.Manifest.Kind = BVAE
	m.Manifest.Hyper.Latent, m.Manifest.Hyper.Hidden, m.Manifest.Hyper.Beta = 1, []int{4, 3}, 0.5
	m.Manifest.Hyper.Weights, m.Manifest.Hyper.Offset, m.Manifest.Hyper.WeighEvery = "latent", "auto", 5
	m.Manifest.Privacy.Weightings = []report.Weighting{{Name: "plant-a", Weight: 0.25, Discrepancy: report.Of(0.5)}, {Name: "plant-b", Weight: 0.75, Discrepancy: report.Of(0)}}
	m.Scorer = BetaVAE{beta.NewModel(beta.Config{Inputs: 2, Latent: 1, Hidden: []int{4, 3}, Beta: 0.5, Seed: 5})}
	return m
}

func TestBetaVAEsAreRead(t *testing.T) {
	isReadBack(t, betaVAE(t), 32, map[string][]int{
		"encoder.0.weight": {2, 4}, "encoder.2.bias": {2}, "decoder.0.weight": {1, 3}, "decoder.1.bias": {4}, "decoder.2.weight": {4, 2},
	})
}

// Contributions are what a score has beside the divergence, and the likelihood is at least
// what the loss at β = 1 and draws in place of the mean would make it, on average.
func TestBetaVAEsExplain(t *testing.T) {
	b := betaVAE(t).Scorer.(BetaVAE)
	z := mat.NewDense(100, 2, nil)
	for i := range 100 {
		z.SetRow(i, []float64{float64(i) / 10, 0.5})
	}
	by, err := b.Explain(z)
	if err != nil {
		t.Fatal(err)
	}
	if n, columns := by.Dims(); n != 100 || columns != 2 || !(by.At(99, 0) > by.At(5, 0)) || !(by.At(99, 0) > by.At(99, 1)) {
		t.Errorf("contributions %v and %v", by.RawRowView(5), by.RawRowView(99))
	}
	if err := b.EachScores(gmm.Matrix(z), func(from int, scores []float64) {
		for i, s := range scores {
			row := []float32{float32(z.At(from+i, 0)), 0.5}
			kl, err := b.Divergence(row)
			if want := by.At(from+i, 0) + by.At(from+i, 1) + 0.5*kl; err != nil || math.Abs(s-want) > 1e-9*want {
				t.Errorf("row %d: score %g, want %g (%v)", from+i, s, want, err)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	codes, err := b.Encode(z)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := b.Decode(codes)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if d := z.At(i, 0) - rows.At(i, 0); math.Abs(d*d-by.At(i, 0)) > 1e-6*(1+d*d) {
			t.Errorf("row %d is decoded as %v, which is not what it is blamed for, %v", i, rows.RawRowView(i), by.RawRowView(i))
		}
	}
	near, err := b.MeanLogLik(gmm.Matrix(z.Slice(0, 10, 0, 2).(*mat.Dense)))
	if err != nil {
		t.Fatal(err)
	}
	if far, err := b.MeanLogLik(gmm.Matrix(z.Slice(90, 100, 0, 2).(*mat.Dense))); err != nil || !(far < near) {
		t.Errorf("mean log-likelihood %g of rows that are far, %g of those near, %v", far, near, err)
	}
}

func TestFilesThatAreNoBetaVAE(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.npz")
	for want, change := range map[string]func(*Model){
		"want latent of at least 1 and beta above 0, got 0 and 0.5":      func(m *Model) { m.Manifest.Hyper.Latent = 0 },
		"want latent of at least 1 and beta above 0, got 1 and 0":        func(m *Model) { m.Manifest.Hyper.Beta = 0 },
		"want a factor of the divergence above 0, got -1":                func(m *Model) { m.Manifest.Hyper.Beta = -1 },
		"hidden layer 1: want at least 1 unit, got -3":                   func(m *Model) { m.Manifest.Hyper.Hidden = []int{-3} },
		"encoder.1.weight: want shape [4 1000000000], got [4 3]":         func(m *Model) { m.Manifest.Hyper.Hidden[1] = 1e9 },
		"encoder.2.weight: want shape [3 8], got [3 2]":                  func(m *Model) { m.Manifest.Hyper.Latent = 4 },
		"encoder.0.weight: want shape [2 2], got [2 4]":                  func(m *Model) { m.Manifest.Hyper.Hidden = nil },
		"encoder.0.weight: want finite weights in single precision, got": func(m *Model) { m.Scorer.(BetaVAE).Parameters().Values[3] = float32(math.Inf(1)) },
	} {
		m := betaVAE(t)
		change(m)
		if err := Write(path, m); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// Conditions are in a file of their own, which its owner alone may read, and which belongs to
// the weights that it was trained with.
func TestConditionsOfBetaVAEsAreRead(t *testing.T) {
	m := betaVAE(t)
	m.Manifest.Hyper.Condition = "cgau"
	of := beta.NewModel(beta.Config{Inputs: 2, Latent: 1, Hidden: []int{4, 3}, Beta: 0.5, Condition: beta.CGAU, Seed: 5})
	for i := range of.Conditions().Values {
		of.Conditions().Values[i] = float32(i) / 8
	}
	m.Scorer = BetaVAE{of}
	dir := t.TempDir()
	if err := Save(dir, m); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, OwnFile)
	if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	got, err := Read(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	rows := mat.NewDense(2, 2, []float64{10, 20, 12, 21})
	if reflect.DeepEqual(score(got, rows), score(m, rows)) || len(got.Conditions()) != 2*2*7 {
		t.Errorf("the model's file has conditions %v", got.Conditions())
	}
	if err := got.ReadOwn(own); err != nil || !reflect.DeepEqual(score(got, rows), score(m, rows)) {
		t.Errorf("scores are others, %v", err)
	}
	m.Manifest.Standardise, m.Manifest.Participant, m.Manifest.Threshold = "own", "other", 7
	m.Scaling = dataset.Scaling{Shift: []float64{1, 2}, Scale: []float64{3, 4}}
	if err := WriteOwn(own, m); err != nil {
		t.Fatal(err)
	}
	got.Manifest.Standardise = "own"
	if err := got.ReadOwn(own); err != nil || !reflect.DeepEqual(got.Scaling, m.Scaling) || got.Manifest.Threshold != 7 || got.Manifest.Participant != "other" {
		t.Errorf("got scaling %v, threshold %g of %s, %v", got.Scaling, got.Manifest.Threshold, got.Manifest.Participant, err)
	}
	of.Parameters().Values[0]++
	if err := m.ReadOwn(own); err == nil || !strings.Contains(err.Error(), "want conditions for these weights") {
		t.Errorf("got %v", err)
	}
	if err := betaVAE(t).ReadOwn(own); err == nil || !strings.Contains(err.Error(), "want a model with conditions, got one of kind bvae without") {
		t.Errorf("got %v", err)
	}
	m.Manifest.Hyper.Condition = "other"
	if err := Write(filepath.Join(dir, File), m); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(filepath.Join(dir, File)); err == nil || !strings.Contains(err.Error(), `want condition cgau or none, got "other"`) {
		t.Errorf("got %v", err)
	}
}
