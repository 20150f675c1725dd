package model

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/npz"
	"github.com/collabdict/collabdict/vae/cgau"
	"github.com/collabdict/collabdict/vae/nn"
	"gonum.org/v1/gonum/mat"
)

// Classifier is what a model tells classes of rows apart by. It gives no anomaly scores: a
// row that is like no other may be of one class all the more surely.
type Classifier interface {
	// Dim returns the number of coordinates.
	Dim() int
	// Classes returns their number; they count from 0.
	Classes() int
	// Probabilities returns those of the classes for each row of z, N by Classes.
	Probabilities(z *mat.Dense) (*mat.Dense, error)
}

// MostClasses bounds the number of classes.
const MostClasses = 1000

// Gated is a classifier with conditions of the participant's own, which no model file has:
// see [WriteOwn]. It is for one goroutine at a time, as its network is.
type Gated struct{ *cgau.Model }

var _ Classifier = Gated{}

// Dim returns the number of coordinates.
func (g Gated) Dim() int { return g.Config().Inputs }

// Classes returns the number of classes.
func (g Gated) Classes() int { return g.Config().Classes }

// Probabilities returns those of the classes.
func (g Gated) Probabilities(z *mat.Dense) (*mat.Dense, error) {
	var all []float32
	err := nn.EachBlock(gmm.Matrix(z), math.MaxFloat64, func(_ int, x []float32) error {
		p, err := g.Model.Probabilities(x)
		all = append(all, p...)
		return err
	})
	return matrix(all, g.Classes(), err)
}

// WeightsDigest tells apart what is shared: it is the same at all participants.
func (g Gated) WeightsDigest() string { return weightsDigest(g) }

// Dim returns the number of coordinates that rows are scored or classified in.
func (m *Model) Dim() int {
	if m.Classifier != nil {
		return m.Classifier.Dim()
	}
	return m.Scorer.Dim()
}

// put writes the arrays of what is shared.
func (g Gated) put(w *npz.Writer) error { return matrices(g.Shared().Matrices).put(w) }

// readGated is the inverse of put, with conditions of 0. Nothing is made room for that the
// file does not have.
func (m *Model) readGated(a *npz.Archive, dim int) (Gated, error) {
	h := m.Manifest.Hyper
	c := cgau.Config{
		Inputs: dim, Classes: h.Classes, Hidden: h.Hidden, Dropout: h.Dropout,
		Rate: h.Rate, Momentum: h.Momentum, Batch: h.Batch, Steps: h.LocalSteps, Seed: h.Seed,
	}
	if err := c.Validate(); err != nil {
		return Gated{}, fmt.Errorf("%s: %w", manifest, err)
	}
	if len(h.Hidden) == 0 || h.Classes > MostClasses {
		return Gated{}, fmt.Errorf("%s: want at least one hidden layer and at most %d classes, got %v and %d", manifest, MostClasses, h.Hidden, h.Classes)
	}
	read, in := found{}, dim
	for i, units := range h.Hidden {
		// The columns of the tanh are before those of the sigmoid.
		if err := read.layer(a, "classifier", i, in, 2*units); err != nil {
			return Gated{}, err
		}
		in = units
	}
	if err := read.layer(a, "classifier", len(h.Hidden), in, h.Classes); err != nil {
		return Gated{}, err
	}
	g := Gated{cgau.NewModel(c)}
	return g, read.fill(g.Shared().Matrices)
}
