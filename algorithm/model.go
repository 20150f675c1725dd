package algorithm

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/columnstats"
)

// A Model is what a participant has learned. Rows are in the coordinates trained on. A model
// shows what else it can do by implementing [Scorer] or [Classifier], and [Explainer],
// [Assigner], [Clusterer], [Dictionary], [Coder] and [Personal].
type Model interface {
	// Dim returns the number of coordinates.
	Dim() int
	// Arrays returns the arrays to store in a file.
	Arrays() []Array
}

// Scorer gives anomaly scores.
type Scorer interface {
	Model
	// MeanLogLik returns the mean log-likelihood of the rows, in nats.
	MeanLogLik(rows collabdict.Rows) (float64, error)
	// EachScores calls f with the anomaly scores, in nats, of every block of rows; from is the
	// index of the block's first row. Blocks come in any order and possibly concurrently. The
	// slice scores is valid until f returns.
	EachScores(rows collabdict.Rows, f func(from int, scores []float64)) error
}

// A Classifier distinguishes classes of rows. It gives no anomaly scores, since a row unlike
// all others may belong to one class with high probability.
type Classifier interface {
	Model
	// Classes returns the number of classes, which count from 0.
	Classes() int
	// Probabilities returns the class probabilities of each row of z, N by Classes.
	Probabilities(z *mat.Dense) (*mat.Dense, error)
}

// A Completer is a model whose methods all accept rows with missing cells (NaN). The scores of
// such rows are comparable with those of others.
type Completer interface {
	// Complete returns the rows with expected values in place of missing cells.
	Complete(z *mat.Dense) (*mat.Dense, error)
}

// An Explainer ranks variables by their contributions to scores.
type Explainer interface {
	// Explain explains the score of each row of z.
	Explain(z *mat.Dense) (Explanation, error)
}

// An Explanation has a row per explained row, and a value per variable.
type Explanation struct {
	// Parts are the variables' contributions to the score, at least 0.
	Parts *mat.Dense
	// Expected holds the values that the model expects in place of the given ones.
	Expected *mat.Dense
}

// Sampled is a scorer whose log-likelihoods are means of several densities.
type Sampled interface{ Draws() int }

// An Assigner assigns rows to components or clusters.
type Assigner interface {
	Components() int
	// Assign returns the component, from 0, of each row of z.
	Assign(z *mat.Dense) []int
}

// A Clusterer is an Assigner whose components are the result, not a means to score rows.
type Clusterer interface {
	Assigner
	// OwnClusters returns the cluster, from 0, of each of the participant's components.
	OwnClusters() []int
}

// A Dictionary has K Gaussian patterns in M coordinates. A precision other than 0 means a
// direct dependency.
type Dictionary interface {
	Weights() []float64
	Means() *mat.Dense
	Precision(k int) *mat.SymDense
}

// A Coder has latent variables. Each row has a code, a short vector of them, and each code
// stands for a row.
type Coder interface {
	// Latent returns the number of latent dimensions.
	Latent() int
	// Encode returns the code of each row of z, N by Latent: the means of the codes'
	// distributions.
	Encode(z *mat.Dense) (*mat.Dense, error)
	// Decode returns the mean row of each code, N by Dim.
	Decode(codes *mat.Dense) (*mat.Dense, error)
}

// A Personal model has two parts: parameters that all members share, and private parameters of
// the participant, which are in no sum and in no model file.
type Personal interface {
	Model
	// Shared returns all shared weights, in a fixed order.
	Shared() []float32
	// Own returns the private parameters, which the caller may change in place.
	Own() []float32
	// OwnArrays returns the arrays of the private parameters.
	OwnArrays() []Array
	// LoadOwn sets the private parameters from such arrays. After an error they are unchanged.
	LoadOwn(arrays Arrays) error
	// Adapt fits the private parameters to a participant that has not trained, in the given
	// number of steps, and leaves the shared part unchanged. It returns the number of rows
	// used.
	Adapt(ctx context.Context, d Data, steps int) (rows int, warnings []string, err error)
}

// An Array is a named array of a model, in row-major order. One of Values and Ints is not nil.
type Array struct {
	Name   string
	Shape  []int
	Values []float64
	Ints   []int64
}

// Arrays reads arrays by name.
type Arrays interface {
	// Values returns an array of numbers. If a shape is given, the array must have it; −1
	// accepts any size of a dimension.
	Values(name string, shape ...int) (values []float64, got []int, err error)
	Ints(name string, shape ...int) (values []int64, got []int, err error)
	// Has reports whether an array of the name exists.
	Has(name string) bool
}

// SameShape returns an error unless an array has the wanted shape, in which −1 accepts any
// size.
func SameShape(name string, got, want []int) error {
	same := len(got) == len(want)
	for i := 0; same && i < len(want); i++ {
		same = want[i] < 0 || got[i] == want[i]
	}
	if !same {
		return fmt.Errorf("%s: want shape %v, got %v", name, want, got)
	}
	return nil
}

// MostClasses bounds the number of classes.
const MostClasses = 1000

// Dense returns rows as a matrix, which may be shared and must not be modified.
func Dense(rows collabdict.Rows) (*mat.Dense, error) {
	n, m := rows.Dims()
	if x, ok := rows.(interface{ Matrix() *mat.Dense }); ok {
		return x.Matrix(), nil
	}
	x := mat.NewDense(n, m, nil)
	return x, rows.ReadRows(x.RawMatrix().Data, 0)
}

// AgreeClasses returns the number of classes over all members: one more than the largest class
// of any. Members learn it from a sum that counts, per class, the members with that largest
// class.
func AgreeClasses(ctx context.Context, g collabdict.Group, classes []int) (int, error) {
	counts := make([]float64, MostClasses)
	counts[slices.Max(classes)] = 1
	total, err := g.Sum(ctx, collabdict.Summand{Entry: ClassesEntry, Values: counts, Blocks: columnstats.AppendBlock(nil, len(counts), 1)})
	if err != nil {
		return 0, fmt.Errorf("classes: %w", err)
	}
	number := 2
	for c, n := range total {
		if n > 0.5 {
			number = max(number, c+1)
		}
	}
	return number, nil
}
