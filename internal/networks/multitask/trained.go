package multitask

import (
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/networks"
)

// Trained is the model as a scorer, by Eq. (39) of Idé et al. 2024. Only one goroutine may use
// it at a time.
type Trained struct{ *Model }

var _ interface {
	algorithm.Scorer
	algorithm.Completer
	algorithm.Explainer
	algorithm.Coder
	algorithm.Sampled
} = Trained{}

// Dim returns the number of coordinates.
func (t Trained) Dim() int { return t.Columns() }

// Arrays returns the arrays of the encoder and of the decoder.
func (t Trained) Arrays() []algorithm.Array { return networks.Arrays(t.Matrices) }

// Draws returns the number of draws behind each score and each log-likelihood.
func (t Trained) Draws() int { return DefaultDraws }

func (t Trained) each(rows Rows, f func(Scores)) error {
	return NewScorer(t.Model, t.Draws()).Each(networks.Completed(t, rows), f)
}

// MeanLogLik returns the mean of the rows' log-likelihoods, estimated by importance weights,
// which is too low on average.
func (t Trained) MeanLogLik(rows collabdict.Rows) (float64, error) {
	total := 0.0
	err := t.each(rows, func(s Scores) {
		for _, v := range s.LogLik {
			total += v
		}
	})
	n, _ := rows.Dims()
	return total / float64(n), err
}

// EachScores calls f with the scores of blocks of rows in order. Missing cells (NaN) are
// reconstructed and do not count: the score is that of the other cells, times M/m if m of M are
// present.
func (t Trained) EachScores(rows collabdict.Rows, f func(from int, scores []float64)) error {
	return t.each(rows, func(s Scores) { f(s.From, s.Anomaly) })
}

// Explain returns the contributions of [Scores], and the decoded means of the rows' codes.
func (t Trained) Explain(z *mat.Dense) (algorithm.Explanation, error) {
	n, columns := z.Dims()
	parts := mat.NewDense(n, columns, nil)
	err := t.each(networks.Rows(z), func(s Scores) {
		copy(parts.RawMatrix().Data[s.From*columns:], s.Contributions)
	})
	return networks.Explained(t, z, parts, err)
}

// Complete returns rows with missing cells replaced by the model's reconstruction.
func (t Trained) Complete(z *mat.Dense) (*mat.Dense, error) { return networks.Whole(t, z) }

// Encode returns the means of the codes of rows.
func (t Trained) Encode(z *mat.Dense) (*mat.Dense, error) {
	codes, err := t.Model.Encode(networks.Rows(z))
	return networks.Dense(codes, t.Latent(), err)
}

// Decode returns the means of the rows for the given codes.
func (t Trained) Decode(codes *mat.Dense) (*mat.Dense, error) {
	rows, err := t.Model.Decode(networks.Singles(codes))
	return networks.Dense(rows, t.Dim(), err)
}
