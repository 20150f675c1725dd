package export

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/collabdict/collabdict/internal/networks/cgau"
	"github.com/collabdict/collabdict/internal/testkit/onnxtest"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/vae"
)

// classifierOf returns a model with private conditions.
func classifierOf(columns int) *model.Model {
	m := describe("cgau", columns, 0)
	g := cgau.Trained{Model: cgau.NewModel(cgau.Config{Inputs: columns, Classes: 4, Hidden: []int{8, 5}, Seed: 3})}
	vae.Normals(g.Conditions().Values, rand.NewPCG(1, 2))
	m.Learned = g
	return m
}

// knownClassifier returns a file of a cgau model, with rows and the model's outputs for them.
func knownClassifier(t *testing.T) known {
	m := classifierOf(6)
	single, x := rowsOf(m, 20)
	p, err := m.Classifier().Probabilities(m.Trained(x))
	if err != nil {
		t.Fatal(err)
	}
	return known{
		file: exported(t, m).Bytes,
		in:   map[string]onnxtest.Tensor{"rows": onnxtest.Floats(single, 20, 6)},
		out:  map[string]onnxtest.Tensor{"probabilities": tensor(p.RawMatrix().Data, 20, 4)},
	}
}

// A graph with a participant's conditions is marked as private; a release never has conditions.
func TestConditionsAreHandedOnByChoice(t *testing.T) {
	owner, nobody := classifierOf(6), classifierOf(6)
	clear(nobody.Conditions())
	owner.Manifest.Standardise, nobody.Manifest.Standardise = "global", "global" // own scales are private, too
	whose := func(m *model.Model) (of Owner, private bool) {
		f := exported(t, m)
		for _, e := range f.Contents {
			if e.Name == "classifier" {
				of = e.Of
			}
			if e.Name == "threshold, false_alarm" {
				t.Error("a classifier has a threshold")
			}
		}
		return of, f.Private
	}
	if of, private := whose(owner); of != Own || !private {
		t.Errorf("with conditions: got %q, private: %t", of, private)
	}
	if of, private := whose(nobody); of != All || private {
		t.Errorf("without: got %q, private: %t", of, private)
	}
	with, err := NPZ(owner)
	if err != nil {
		t.Fatal(err)
	}
	without, err := NPZ(nobody)
	if err != nil || !bytes.Equal(with.Bytes, without.Bytes) {
		t.Errorf("a release depends on conditions (%v)", err)
	}
}
