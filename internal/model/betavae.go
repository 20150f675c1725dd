package model

import (
	"fmt"
	"slices"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/npz"
	"github.com/collabdict/collabdict/vae/beta"
	"github.com/collabdict/collabdict/vae/nn"
	"gonum.org/v1/gonum/mat"
)

// BetaVAE is a β-VAE as a scorer: the score of a row is its loss, decoded from the mean of
// its distribution. It is for one goroutine at a time, as its networks are.
type BetaVAE struct{ *beta.Model }

var _ interface {
	Scorer
	Explainer
	Coder
} = BetaVAE{}

// Dim returns the number of coordinates.
func (b BetaVAE) Dim() int { return b.Config().Inputs }

// Draws returns how many densities each log-likelihood is a mean of.
func (b BetaVAE) Draws() int { return 32 }

// MeanLogLik returns the mean of the rows' log-likelihoods of [beta.Model.LogLik].
func (b BetaVAE) MeanLogLik(rows gmm.Rows) (float64, error) {
	total := 0.0
	err := b.LogLik(rows, b.Draws(), func(_ int, values []float64) {
		for _, v := range values {
			total += v
		}
	})
	n, _ := rows.Dims()
	return total / float64(n), err
}

// EachScores calls f with the losses of blocks of rows, one after the other.
func (b BetaVAE) EachScores(rows gmm.Rows, f func(from int, scores []float64)) error {
	return b.Score(rows, func(s beta.Scores) { f(s.From, s.Loss) })
}

// Explain returns the squared error of each variable.
func (b BetaVAE) Explain(z *mat.Dense) (*mat.Dense, error) {
	n, columns := z.Dims()
	out := mat.NewDense(n, columns, nil)
	err := b.Score(gmm.Matrix(z), func(s beta.Scores) {
		copy(out.RawMatrix().Data[s.From*columns:], s.Squares)
	})
	return out, err
}

// Latent returns the number of latent variables.
func (b BetaVAE) Latent() int { return b.Config().Latent }

// Encode returns the means of the codes of rows.
func (b BetaVAE) Encode(z *mat.Dense) (*mat.Dense, error) {
	codes, err := b.Means(gmm.Matrix(z))
	return matrix(codes, b.Latent(), err)
}

// Decode returns the rows that codes stand for.
func (b BetaVAE) Decode(codes *mat.Dense) (*mat.Dense, error) {
	rows, err := b.Model.Decode(singles(codes))
	return matrix(rows, b.Dim(), err)
}

// Shared returns the weights and biases.
func (b BetaVAE) Shared() *nn.Parameters { return b.Parameters() }

// put writes the arrays of the networks.
func (b BetaVAE) put(w *npz.Writer) error { return matrices(b.Parameters().Matrices).put(w) }

// readBetaVAE is the inverse of put, with conditions of 0. Nothing is made room for that the file does not have.
func (m *Model) readBetaVAE(a *npz.Archive, dim int) (BetaVAE, error) {
	h := m.Manifest.Hyper
	c := beta.Config{Inputs: dim, Hidden: h.Hidden, Latent: h.Latent, Beta: h.Beta, Rate: h.Rate, Batch: h.Batch}
	if c.Hidden == nil {
		c.Hidden = []int{}
	}
	if h.Condition == "cgau" {
		c.Condition = beta.CGAU
	} else if h.Condition != "" {
		return BetaVAE{}, fmt.Errorf("%s: want condition cgau or none, got %q", manifest, h.Condition)
	}
	if err := c.Validate(); err != nil {
		return BetaVAE{}, fmt.Errorf("%s: %w", manifest, err)
	}
	if h.Latent == 0 || h.Beta == 0 {
		return BetaVAE{}, fmt.Errorf("%s: want latent of at least 1 and beta above 0, got %d and %g", manifest, h.Latent, h.Beta)
	}
	backwards := slices.Clone(c.Hidden)
	slices.Reverse(backwards)
	read := found{}
	if err := read.network(a, "encoder", dim, c.Hidden, 2*c.Latent, c.Condition); err != nil {
		return BetaVAE{}, err
	}
	if err := read.network(a, "decoder", c.Latent, backwards, dim, c.Condition); err != nil {
		return BetaVAE{}, err
	}
	of := beta.NewModel(c)
	return BetaVAE{of}, read.fill(of.Parameters().Matrices)
}

// network reads the layers of an encoder or a decoder. A unit with conditions has two sums:
// the columns of the tanh are before those of the sigmoid.
func (f found) network(a *npz.Archive, name string, in int, hidden []int, out int, by beta.Condition) error {
	sums := 1
	if by == beta.CGAU {
		sums = 2
	}
	for i, units := range hidden {
		if err := f.layer(a, name, i, in, sums*units); err != nil {
			return err
		}
		in = units
	}
	return f.layer(a, name, len(hidden), in, out)
}
