package fedgem

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/mixtures/density"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/portable"
	"github.com/collabdict/collabdict/internal/privacy"
)

// Noise makes everything that a participant publishes differentially private for each of its rows.
//
// An EM step needs only sums over the rows: Σγ_k and Σγ_k y/R for every component, and Σ‖y‖²/R².
// Here y = x − m is the row relative to m, the middle of the region where rows may be. One row more
// or less changes the vector of all these sums by at most √3. The row's γ_k are at least 0 and sum
// to 1, so Σγ_k² ≤ 1. As ‖y‖ ≤ R, the squared length is Σγ_k²(1 + ‖y‖²/R²) + ‖y‖⁴/R⁴ ≤ 3.
//
// Every step, including the burn-in, adds normal noise to each sum, and uses nothing else of the rows.
// The start is drawn without them, and Components must be given. All steps have an equal part of
// the loss; see [privacy.Account]. The published number of rows is the sum of the noisy counts.
//
// The guarantee does not cover the scaling of the columns; Radius and Middle are assumed public.
// Sums over rows are rounded before the noise is added. A member that does not follow the protocol
// may learn more.
type Noise struct {
	// Loss is the privacy loss of all steps together, even if a run makes all its rounds.
	Loss privacy.ZCDP
	// Radius is R: rows farther than R from the middle are moved to this distance. Middle is
	// the value of each coordinate of the middle. Neither may depend on the rows.
	Radius, Middle float64
	// Source draws the noise. It must be secret, and new in every run.
	Source rand.Source
}

// narrowest is the minimum ratio of a cluster's variance to the squared radius.
const narrowest = 1e-3

// sensitivity bounds how much one row changes the vector of all sums of a step, in their units.
var sensitivity = math.Sqrt(3)

// account returns the account of all steps, which have the same noise.
func (c Config) account() *privacy.Account {
	return privacy.NewOwnAccount(c.Noise.Loss, c.BurnIn+c.Rounds*c.LocalSteps+1)
}

// deviation returns the standard deviation of the noise in each sum of a step, in its unit.
func (c Config) deviation() float64 { return c.account().Plan(1).Deviation(sensitivity) }

func (n Noise) check(c Config) error {
	switch {
	case !(n.Loss > 0) || !(n.Radius > 0) || math.IsInf(float64(n.Loss), 1) || n.Radius > largest:
		return fmt.Errorf("noise: want a finite loss and radius above 0, got %g and %g", n.Loss, n.Radius)
	case !(math.Abs(n.Middle) <= largest):
		return fmt.Errorf("noise: want a finite middle, got %g", n.Middle)
	case n.Source == nil:
		return fmt.Errorf("noise: want a source to draw it from, got none")
	case c.Components == 0:
		return fmt.Errorf("noise: want a number of components, because a number chosen by BIC or by labels reveals something about the rows")
	case c.Full:
		return fmt.Errorf("noise: want spherical clusters, got full covariances")
	}
	return nil
}

// variance returns the variance that the noise adds to each column of a centre.
func (c Config) variance(rows float64) float64 {
	sd := c.deviation() * c.Noise.Radius / rows
	return sd * sd
}

// clip returns the rows, moved where necessary to within the radius of the middle. Values that are
// not numbers become the middle.
func (n Noise) clip(x *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(x)
	rows, _ := out.Dims()
	for i := range rows {
		row := out.RawRowView(i)
		for j, v := range row {
			if row[j] = max(-n.Radius, min(v-n.Middle, n.Radius)); math.IsNaN(v) {
				row[j] = 0
			}
		}
		n.shorten(row) // no square overflows
		floats.AddConst(n.Middle, row)
	}
	return out
}

func (n Noise) shorten(fromMiddle []float64) {
	if norm := portable.Norm(fromMiddle); norm > n.Radius {
		floats.Scale(n.Radius/norm, fromMiddle)
	}
}

// noisyStart draws centres in the ball of all possible rows and makes the burn-in.
func (l *local) noisyStart() error {
	n := l.config.Noise
	l.x = n.clip(l.x)
	k := l.config.Components
	_, dim := l.x.Dims()
	rng := rand.New(rand.NewPCG(l.config.Seed, 0))
	place := n.Radius * n.Radius / float64(4*dim)
	// With a small variance EM starts like k-means; with a large one all centres would move to
	// the mean.
	variance := narrowest * n.Radius * n.Radius / float64(dim)
	weights, means, precisions := make([]float64, k), mat.NewDense(k, dim, nil), mat.NewDense(k, dim, nil)
	for i := range k {
		weights[i] = 1 / float64(k)
		for j := range dim {
			means.Set(i, j, n.Middle+float64(rng.NormFloat64()*math.Sqrt(place)))
			precisions.Set(i, j, 1/variance)
		}
	}
	var err error
	if l.mix, err = gmm.NewDiagMixture(gmm.Spherical, weights, means, precisions); err != nil {
		return err
	}
	for range l.config.BurnIn {
		if l.mix, err = l.maximise(); err != nil {
			return err
		}
	}
	return nil
}

// sums holds the sums over rows that an EM step needs, relative to the middle: for each
// component the number and the sum of rows, and for all together the sum of squared lengths.
type sums struct {
	counts []float64
	first  *mat.Dense
	square float64
}

// sums returns the sums over the rows of x, which must be clipped.
func (n Noise) sums(m *gmm.Mixture, x *mat.Dense) (sums, error) {
	k, dim := m.Components(), m.Dim()
	centres := mat.NewDense(k, dim, nil)
	centres.Apply(func(int, int, float64) float64 { return n.Middle }, centres)
	s, _, err := density.Of(m).Statistics(passes.NewReader(gmm.Matrix(x)), nil, centres, nil, false)
	if err != nil {
		return sums{}, err
	}
	return sums{s.N, mat.NewDense(k, dim, s.First), passes.Sum(s.Second)}, nil
}

// step makes an EM step from m on the rows of x, with noise of standard deviation sd on its sums, in
// their units, and returns the number of rows according to these sums. All components share one variance, on which noise has less
// effect.
func (n Noise) step(m *gmm.Mixture, x *mat.Dense, sd float64) (*gmm.Mixture, float64, error) {
	noisy := func(sum, unit float64) float64 { return privacy.Noisy(sum, sd*unit, n.Source) }
	s, err := n.sums(m, x)
	if err != nil {
		return nil, 0, err
	}
	dim := float64(m.Dim())
	weights, means := s.counts, s.first
	within, total := noisy(s.square, n.Radius*n.Radius), 0.0
	for k, count := range weights {
		mean := means.RawRowView(k)
		weights[k] = math.Max(minRows, noisy(count, 1))
		for i, v := range mean {
			mean[i] = noisy(v, n.Radius) / weights[k]
		}
		n.shorten(mean)
		within -= float64(weights[k] * blas.Dot(mean, mean))
		total += weights[k]
		floats.AddConst(n.Middle, mean)
	}
	// Noise can make the variance negative. And if clusters widened at once, all centres would
	// coincide.
	variance := max(within/total, narrowest*n.Radius*n.Radius) / dim
	variance = min(variance, 2/m.Precision(0).At(0, 0))
	precisions := mat.NewDense(len(weights), m.Dim(), nil)
	precisions.Apply(func(int, int, float64) float64 { return 1 / variance }, precisions)
	floats.Scale(1/total, weights)
	out, err := gmm.NewDiagMixture(gmm.Spherical, weights, means, precisions)
	return out, total, err
}
