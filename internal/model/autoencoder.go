package model

import (
	"fmt"
	"slices"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/npz"
	"github.com/collabdict/collabdict/vae/multitask"
	"gonum.org/v1/gonum/mat"
)

// AutoEncoder is a multi-task variational auto-encoder as a scorer, by Eq. (39) of Idé et
// al. 2024. It is for one goroutine at a time, as its networks are.
type AutoEncoder struct{ *multitask.Model }

var _ interface {
	Scorer
	Explainer
	Coder
} = AutoEncoder{}

// Dim returns the number of coordinates.
func (a AutoEncoder) Dim() int { return a.Columns() }

// Draws returns how many densities each score and each log-likelihood is a mean of.
func (a AutoEncoder) Draws() int { return multitask.DefaultDraws }

func (a AutoEncoder) each(rows gmm.Rows, f func(multitask.Scores)) error {
	return multitask.NewScorer(a.Model, a.Draws()).Each(rows, f)
}

// MeanLogLik returns the mean of the rows' log-likelihoods as importance weights estimate
// them, which is too low on average.
func (a AutoEncoder) MeanLogLik(rows gmm.Rows) (float64, error) {
	total := 0.0
	err := a.each(rows, func(s multitask.Scores) {
		for _, v := range s.LogLik {
			total += v
		}
	})
	n, _ := rows.Dims()
	return total / float64(n), err
}

// EachScores calls f with the scores of blocks of rows, one after the other.
func (a AutoEncoder) EachScores(rows gmm.Rows, f func(from int, scores []float64)) error {
	return a.each(rows, func(s multitask.Scores) { f(s.From, s.Anomaly) })
}

// Explain returns the contributions of [multitask.Scores].
func (a AutoEncoder) Explain(z *mat.Dense) (*mat.Dense, error) {
	n, columns := z.Dims()
	out := mat.NewDense(n, columns, nil)
	err := a.each(gmm.Matrix(z), func(s multitask.Scores) {
		copy(out.RawMatrix().Data[s.From*columns:], s.Contributions)
	})
	return out, err
}

// Encode returns the means of the codes of rows.
func (a AutoEncoder) Encode(z *mat.Dense) (*mat.Dense, error) {
	codes, err := a.Model.Encode(gmm.Matrix(z))
	return matrix(codes, a.Latent(), err)
}

// Decode returns the means of the rows of codes.
func (a AutoEncoder) Decode(codes *mat.Dense) (*mat.Dense, error) {
	rows, err := a.Model.Decode(singles(codes))
	return matrix(rows, a.Dim(), err)
}

// singles returns the elements in single precision, row after row.
func singles(z *mat.Dense) (out []float32) {
	n, _ := z.Dims()
	for i := range n {
		for _, v := range z.RawRowView(i) {
			out = append(out, float32(v))
		}
	}
	return out
}

// matrix returns at least one row of so many columns.
func matrix(rows []float32, columns int, err error) (*mat.Dense, error) {
	if err != nil {
		return nil, err
	}
	wide := make([]float64, len(rows))
	for i, v := range rows {
		wide[i] = float64(v)
	}
	return mat.NewDense(len(rows)/columns, columns, wide), nil
}

// put writes the arrays of the networks.
func (a AutoEncoder) put(w *npz.Writer) error { return matrices(a.Matrices).put(w) }

// readAutoEncoder is the inverse of put. Nothing is made room for that the file does not
// have.
func (m *Model) readAutoEncoder(a *npz.Archive, dim int) (AutoEncoder, error) {
	c := multitask.Config{Latent: m.Manifest.Hyper.Latent, Hidden: m.Manifest.Hyper.Hidden}
	if err := c.Validate(); err != nil {
		return AutoEncoder{}, fmt.Errorf("%s: %w", manifest, err)
	}
	backwards := slices.Clone(c.Hidden)
	slices.Reverse(backwards)
	read := found{}
	for _, of := range []struct {
		name  string
		units []int
	}{
		{"encoder", slices.Concat([]int{dim}, backwards, []int{2 * c.Latent})},
		{"decoder", slices.Concat([]int{c.Latent}, c.Hidden, []int{2 * dim})},
	} {
		for i, out := range of.units[1:] {
			if err := read.layer(a, of.name, i, of.units[i], out); err != nil {
				return AutoEncoder{}, err
			}
		}
	}
	networks := multitask.NewModel(dim, c)
	return AutoEncoder{networks}, read.fill(networks.Matrices)
}
