package algorithm

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/columnstats"
)

// Model is what a participant has learned. Rows are in the coordinates trained on. What
// further a model can do, it says by [Scorer] or [Classifier], and by [Explainer],
// [Assigner], [Clusterer], [Dictionary], [Coder] and [Personal].
type Model interface {
	// Dim returns the number of coordinates.
	Dim() int
	// Arrays returns the arrays that a file holds of the model.
	Arrays() []Array
}

// Scorer gives anomaly scores.
type Scorer interface {
	Model
	// MeanLogLik returns the mean log-likelihood of the rows, in nats.
	MeanLogLik(rows collabdict.Rows) (float64, error)
	// EachScores calls f with the anomaly scores, in nats, of every block of rows, from
	// being the place of the first one. Blocks come in any order, and may come several at
	// the same time; scores hold until f returns.
	EachScores(rows collabdict.Rows, f func(from int, scores []float64)) error
}

// Classifier tells classes of rows apart. It gives no anomaly scores: a row that is like
// no other may be of one class all the more surely.
type Classifier interface {
	Model
	// Classes returns their number; they count from 0.
	Classes() int
	// Probabilities returns those of the classes for each row of z, N by Classes.
	Probabilities(z *mat.Dense) (*mat.Dense, error)
}

// Completer is a model that rows with missing cells, which are NaN, can be given to in all that it
// does. Their scores compare with those of others.
type Completer interface {
	// Complete returns rows with what is expected of missing cells in their place.
	Complete(z *mat.Dense) (*mat.Dense, error)
}

// Explainer ranks variables by what they contribute to scores.
type Explainer interface {
	// Explain explains the score of each row of z.
	Explain(z *mat.Dense) (Explanation, error)
}

// Explanation has a row for each row explained, with a value for each variable.
type Explanation struct {
	// Parts are what the variables add to the score, at least 0.
	Parts *mat.Dense
	// Expected are the values that the model expects in place of those given.
	Expected *mat.Dense
}

// Sampled is a scorer whose log-likelihoods are means of several densities.
type Sampled interface{ Draws() int }

// Assigner tells components, or clusters, of rows apart.
type Assigner interface {
	Components() int
	// Assign returns the component, from 0, that each row of z is of.
	Assign(z *mat.Dense) []int
}

// Clusterer is an assigner whose components are what is looked for, and not a means to
// score rows.
type Clusterer interface {
	Assigner
	// OwnClusters returns the cluster, from 0, that each own component is of.
	OwnClusters() []int
}

// Dictionary is of Gaussian patterns, K of M coordinates. A precision that is not 0 is a
// direct dependency.
type Dictionary interface {
	Weights() []float64
	Means() *mat.Dense
	Precision(k int) *mat.SymDense
}

// Coder is of latent variables: each row has a code, a short vector of them, and each code
// stands for a row.
type Coder interface {
	// Latent returns the number of latent variables.
	Latent() int
	// Encode returns the code of each row of z, N by Latent: the means of its distribution.
	Encode(z *mat.Dense) (*mat.Dense, error)
	// Decode returns the row that each code stands for, N by Dim: the mean.
	Decode(codes *mat.Dense) (*mat.Dense, error)
}

// Personal is a model of two parts: what all members share, and the participant's own
// part, which is in no sum and in no model file.
type Personal interface {
	Model
	// Shared returns all weights that members share, in a fixed order.
	Shared() []float32
	// Own returns the participant's own part, to be changed in place.
	Own() []float32
	// OwnArrays returns the arrays that hold the own part.
	OwnArrays() []Array
	// LoadOwn sets the own part from such arrays. After an error it is as it was.
	LoadOwn(arrays Arrays) error
	// Adapt fits the own part to a participant that has not trained, by so many steps, and
	// leaves what is shared as it is. It returns how many rows it was fitted to.
	Adapt(ctx context.Context, d Data, steps int) (rows int, warnings []string, err error)
}

// Array is a named array of a model, in row-major order. Of the values one is not nil.
type Array struct {
	Name   string
	Shape  []int
	Values []float64
	Ints   []int64
}

// Arrays reads arrays by their names.
type Arrays interface {
	// Values returns an array of numbers. A shape that is given must be the array's; of a
	// dimension of −1 any size is taken.
	Values(name string, shape ...int) (values []float64, got []int, err error)
	Ints(name string, shape ...int) (values []int64, got []int, err error)
	// Has reports whether there is an array of the name.
	Has(name string) bool
}

// SameShape returns an error unless an array has the shape wanted, in which −1 is any size.
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

// Dense reads rows into memory, where they may be already: the matrix is not to be changed.
func Dense(rows collabdict.Rows) (*mat.Dense, error) {
	n, m := rows.Dims()
	if x, ok := rows.(interface{ Matrix() *mat.Dense }); ok {
		return x.Matrix(), nil
	}
	x := mat.NewDense(n, m, nil)
	return x, rows.ReadRows(x.RawMatrix().Data, 0)
}

// AgreeClasses returns the number of classes that all members have: one more than the
// largest class of any. Members learn it from a sum of how many have which as their
// largest.
func AgreeClasses(ctx context.Context, g collabdict.Group, classes []int) (int, error) {
	counts := make([]float64, MostClasses)
	counts[slices.Max(classes)] = 1
	total, err := g.Sum(ctx, counts, columnstats.AppendBlock(nil, len(counts), 1))
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

// Rounds makes the rounds of a learner and calls after at the end of each.
func Rounds(ctx context.Context, g collabdict.Group, l collabdict.Learner, o collabdict.Options, after func(collabdict.Round)) (collabdict.Round, error) {
	o.OnRound = after
	return collabdict.Train(ctx, g, l, o)
}
