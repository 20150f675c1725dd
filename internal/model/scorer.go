package model

import (
	"github.com/collabdict/collabdict/gmm"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Scorer is what a model scores rows by. Rows are in the coordinates trained on. What
// further a model can do, its scorer says by [Explainer], [Assigner], [Dictionary] and [Coder].
type Scorer interface {
	// Dim returns the number of coordinates.
	Dim() int
	// MeanLogLik returns the mean log-likelihood of the rows, in nats.
	MeanLogLik(rows gmm.Rows) (float64, error)
	// EachScores calls f with the anomaly scores, in nats, of every block of rows, from
	// being the place of the first one. Blocks come in any order, and may come several at
	// the same time; scores hold until f returns.
	EachScores(rows gmm.Rows, f func(from int, scores []float64)) error
}

// Explainer says which variables are to blame for scores.
type Explainer interface {
	// Explain returns what each variable adds to the score of each row of z, N by M.
	Explain(z *mat.Dense) (*mat.Dense, error)
}

// Assigner tells components, or clusters, of rows apart.
type Assigner interface {
	Components() int
	// Assign returns the component, from 0, that each row of z is of.
	Assign(z *mat.Dense) []int
}

// Dictionary is of Gaussian patterns, K of M coordinates, in which a precision that is not
// 0 is a direct dependency.
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

// Mixture is a Gaussian mixture as a scorer, by Eq. (19) of Idé et al. 2024.
type Mixture struct{ *gmm.Mixture }

var _ interface {
	Scorer
	Explainer
	Assigner
	Dictionary
} = Mixture{}

// Explain returns [gmm.Mixture.Contributions] of each row.
func (m Mixture) Explain(z *mat.Dense) (*mat.Dense, error) { return m.ContributionRows(z), nil }

// Assign returns the component that is most responsible for each row.
func (m Mixture) Assign(z *mat.Dense) []int {
	r := m.Responsibilities(z)
	n, _ := z.Dims()
	to := make([]int, n)
	for i := range to {
		to[i] = floats.MaxIdx(r.RawRowView(i))
	}
	return to
}

// Mixture returns the Gaussian mixture that the model is, nil if it is none.
func (m *Model) Mixture() *gmm.Mixture {
	mixture, _ := m.Scorer.(Mixture)
	return mixture.Mixture
}

// Components returns the number of components that rows can be of, 0 if the model has
// none.
func (m *Model) Components() int {
	if a, ok := m.Scorer.(Assigner); ok {
		return a.Components()
	}
	return 0
}

// Draws returns how many densities of a row its log-likelihood is a mean of.
func (m *Model) Draws() int {
	if d, ok := m.Scorer.(interface{ Draws() int }); ok {
		return d.Draws()
	}
	return 1
}

// Scores returns the anomaly scores of rows in the coordinates trained on.
func (m *Model) Scores(z *mat.Dense) ([]float64, error) {
	n, _ := z.Dims()
	scores := make([]float64, n)
	err := m.Scorer.EachScores(gmm.Matrix(z), func(from int, block []float64) { copy(scores[from:], block) })
	return scores, err
}
