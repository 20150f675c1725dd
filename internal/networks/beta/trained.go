package beta

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/networks"
	"github.com/collabdict/collabdict/vae"
)

// Trained is the model as a scorer. The score of a row is its loss, decoded from the mean of
// its distribution. Only one goroutine may use it at a time.
type Trained struct{ *Model }

// Conditioned is a Trained with conditions of the participant.
type Conditioned struct{ Trained }

type scorer interface {
	algorithm.Scorer
	algorithm.Completer
	algorithm.Explainer
	algorithm.Coder
	algorithm.Sampled
}

var (
	_ scorer = Trained{}
	_ interface {
		scorer
		algorithm.Personal
	} = Conditioned{}
)

// trained returns the model as a Conditioned if it has conditions, else as a Trained.
func trained(m *Model) algorithm.Model {
	if m.config.Conditioned {
		return Conditioned{Trained{m}}
	}
	return Trained{m}
}

// Dim returns the number of coordinates.
func (t Trained) Dim() int { return t.Config().Inputs }

// Arrays returns the arrays of the encoder and of the decoder.
func (t Trained) Arrays() []algorithm.Array { return networks.Arrays(t.Parameters().Matrices) }

// Draws returns the number of draws behind each log-likelihood.
func (t Trained) Draws() int { return 32 }

// MeanLogLik returns the mean of [Model.LogLik] over the rows.
func (t Trained) MeanLogLik(rows collabdict.Rows) (float64, error) {
	total := 0.0
	err := t.LogLik(networks.Completed(t, rows), t.Draws(), func(_ int, values []float64) {
		for _, v := range values {
			total += v
		}
	})
	n, _ := rows.Dims()
	return total / float64(n), err
}

// EachScores calls f with the losses of blocks of rows in order. Missing cells (NaN) are
// reconstructed and do not count: the squared errors are those of the other cells, times M/m if
// m of M are present.
func (t Trained) EachScores(rows collabdict.Rows, f func(from int, scores []float64)) error {
	return t.score(rows, func(s Scores) { f(s.From, s.Loss) })
}

// score is [Model.Score] for rows that may have missing cells.
func (t Trained) score(rows collabdict.Rows, f func(Scores)) error {
	whole, columns := networks.Completed(t, rows), t.Dim()
	return t.Score(whole, func(s Scores) {
		for i, missing := range whole.Missing(s.From, len(s.Loss)) {
			n := networks.There(missing)
			if n == 0 { // no cell is missing, or all are
				continue
			}
			squares, sum, there := s.Squares[i*columns:(i+1)*columns], 0.0, 0.0
			for j, v := range squares {
				if sum += v; missing[j] {
					squares[j] = 0
				}
				there += squares[j]
			}
			s.Loss[i] += float64(there*float64(columns)/float64(n)) - sum
		}
		f(s)
	})
}

// Complete returns rows with missing cells replaced by the model's reconstruction.
func (t Trained) Complete(z *mat.Dense) (*mat.Dense, error) { return networks.Whole(t, z) }

// Explain returns the squared error of each variable, and the decoded row.
func (t Trained) Explain(z *mat.Dense) (algorithm.Explanation, error) {
	n, columns := z.Dims()
	parts := mat.NewDense(n, columns, nil)
	err := t.score(networks.Rows(z), func(s Scores) {
		copy(parts.RawMatrix().Data[s.From*columns:], s.Squares)
	})
	return networks.Explained(t, z, parts, err)
}

// Latent returns the number of latent variables.
func (t Trained) Latent() int { return t.Config().Latent }

// Encode returns the means of the codes of rows.
func (t Trained) Encode(z *mat.Dense) (*mat.Dense, error) {
	codes, err := t.Means(networks.Rows(z))
	return networks.Dense(codes, t.Latent(), err)
}

// Decode returns the rows of the given codes.
func (t Trained) Decode(codes *mat.Dense) (*mat.Dense, error) {
	rows, err := t.Model.Decode(networks.Singles(codes))
	return networks.Dense(rows, t.Dim(), err)
}

// Shared returns the weights and biases.
func (c Conditioned) Shared() []float32 { return c.Parameters().Values }

// Own returns the conditions, which may be changed in place.
func (c Conditioned) Own() []float32 { return c.Conditions().Values }

// OwnArrays returns the arrays of the conditions.
func (c Conditioned) OwnArrays() []algorithm.Array { return networks.Arrays(c.Conditions().Matrices) }

// LoadOwn sets the conditions.
func (c Conditioned) LoadOwn(arrays algorithm.Arrays) error {
	return networks.LoadOwn(arrays, c.Conditions())
}

// Adapt fits the conditions to rows of any classes. A step is one pass over all batches.
func (c Conditioned) Adapt(ctx context.Context, d algorithm.Data, steps int) (rows int, warnings []string, err error) {
	values, err := vae.InMemory(d.Rows)
	if err != nil {
		return 0, nil, err
	}
	if w := outsideWarning(values); w != "" {
		warnings = append(warnings, w)
	}
	clear(c.Own())
	rows, _ = d.Rows.Dims()
	return rows, warnings, c.Model.Adapt(ctx, values, steps, rand.NewPCG(d.Seed, 0))
}
