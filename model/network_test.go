package model

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/npz"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/vae/beta"
	"github.com/collabdict/collabdict/vae/multitask"
)

// isReadBack fails the test unless a network of two columns is read back from its file,
// with so many draws a score, the same bytes when it is written again, and these arrays.
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

func TestNetworksAreRead(t *testing.T) {
	m := example(t)
	m.Manifest.Kind = "mtvae"
	hyper(t, m, `{"latent":1,"hidden":[3,4]}`)
	m.Learned = multitask.Trained{Model: multitask.NewModel(2, multitask.Config{Latent: 1, Hidden: []int{3, 4}, Seed: 5})}
	isReadBack(t, m, multitask.DefaultDraws, map[string][]int{
		"encoder.0.weight": {2, 4}, "encoder.2.bias": {2}, "decoder.0.weight": {1, 3}, "decoder.1.bias": {4}, "decoder.2.weight": {4, 4},
	})
	m = example(t)
	m.Manifest.Kind = "bvae"
	hyper(t, m, `{"latent":1,"hidden":[4,3],"beta":0.5,"weights":"latent","offset":"auto","weigh_every":5}`)
	m.Manifest.Privacy.Weightings = []report.Weighting{{Name: "plant-a", Weight: 0.25, Discrepancy: report.Of(0.5)}, {Name: "plant-b", Weight: 0.75, Discrepancy: report.Of(0)}}
	m.Learned = beta.Trained{Model: beta.NewModel(beta.Config{Inputs: 2, Latent: 1, Hidden: []int{4, 3}, Beta: 0.5, Seed: 5})}
	isReadBack(t, m, 32, map[string][]int{
		"encoder.0.weight": {2, 4}, "encoder.2.bias": {2}, "decoder.0.weight": {1, 3}, "decoder.1.bias": {4}, "decoder.2.weight": {4, 2},
	})
}
