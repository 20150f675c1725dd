package cgau

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/networks"
	"github.com/collabdict/collabdict/vae"
)

// Trained is the model as a classifier with conditions of the participant. Only one goroutine
// may use it at a time.
type Trained struct{ *Model }

var _ interface {
	algorithm.Classifier
	algorithm.Personal
} = Trained{}

// Dim returns the number of coordinates.
func (t Trained) Dim() int { return t.Config().Inputs }

// Classes returns the number of classes.
func (t Trained) Classes() int { return t.Config().Classes }

// Probabilities returns the probabilities of the classes.
func (t Trained) Probabilities(z *mat.Dense) (*mat.Dense, error) {
	var all []float32
	err := vae.EachBlock(networks.Rows(z), math.MaxFloat64, func(_ int, x []float32) error {
		p, err := t.Model.Probabilities(x)
		all = append(all, p...)
		return err
	})
	return networks.Dense(all, t.Classes(), err)
}

// Arrays returns the arrays of the shared parameters.
func (t Trained) Arrays() []algorithm.Array { return networks.Arrays(t.Model.Shared().Matrices) }

// Shared returns the weights and biases.
func (t Trained) Shared() []float32 { return t.Model.Shared().Values }

// Own returns the conditions, which may be changed in place.
func (t Trained) Own() []float32 { return t.Conditions().Values }

// OwnArrays returns the arrays of the conditions.
func (t Trained) OwnArrays() []algorithm.Array { return networks.Arrays(t.Conditions().Matrices) }

// LoadOwn sets the conditions.
func (t Trained) LoadOwn(arrays algorithm.Arrays) error {
	return networks.LoadOwn(arrays, t.Conditions())
}

// Adapt fits the conditions to the classes of some rows by gradient descent. Without rows, it
// sets them to the mean of the conditions of all members that have trained. This mean follows
// from the biases and the public seed.
func (t Trained) Adapt(ctx context.Context, d algorithm.Data, steps int) (rows int, warnings []string, err error) {
	if d.Classes == nil {
		t.config.Seed = d.Seed
		t.MeanCondition()
		return 0, nil, nil
	}
	if err := networks.CheckClasses(d.Name, d.Classes, t.Classes()); err != nil {
		return 0, nil, err
	}
	values, err := vae.InMemory(d.Rows)
	if err != nil {
		return 0, nil, err
	}
	if slices.Min(d.Classes) == slices.Max(d.Classes) {
		warnings = append(warnings, fmt.Sprintf("classes: all %d rows to adapt to are of class %d, so the model learns nothing else from them", len(d.Classes), d.Classes[0]))
	}
	clear(t.Own())
	return len(d.Classes), warnings, t.Model.Adapt(ctx, Rows{Values: values, Classes: d.Classes}, steps)
}
