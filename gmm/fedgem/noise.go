package fedgem

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/internal/passes"
	"github.com/collabdict/collabdict/gmm/privacy"
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/portable"
)

// Noise makes all that a participant publishes differentially private in its single
// rows. What an EM step needs of the rows are sums over them, Σγ_k and Σγ_k y/R for every
// component and Σ‖y‖²/R², with y = x − m, the row seen from the middle m of the places where
// rows may be. One row more or less changes the vector of all of them by at most √3: its γ_k
// are at least 0 and sum to 1, so Σγ_k² ≤ 1, and ‖y‖ ≤ R, so the squared length is
// Σγ_k²(1 + ‖y‖²/R²) + ‖y‖⁴/R⁴ ≤ 3. Every step, in the burn-in too, adds normal noise of the standard
// deviation √3·Multiplier to each sum, and sees nothing else of the rows: the start is
// drawn without them, and Components has to be given. T steps are together one Gaussian
// mechanism, whose ratio of sensitivity to noise is √T/Multiplier; see [Config.Multiplier].
// The number of rows that is published is the sum of the noisy counts.
//
// What this does not cover: the scaling of the columns, Radius and Middle are taken as public;
// sums over rows are rounded before the noise comes to them, and no one keeps a member
// that follows another protocol from learning more.
type Noise struct {
	// Multiplier is the noise of a sum over what one row changes it by.
	Multiplier float64
	// Radius is R: rows further than that from the middle are moved to this distance. It may
	// not depend on the rows, and nor may Middle, each coordinate of the middle.
	Radius, Middle float64
	// Source draws the noise. It has to be secret, and fresh in every run.
	Source rand.Source
}

// narrowest is the least variance of a cluster, over the squared radius.
const narrowest = 1e-3

// Multiplier returns that of the least noise with which a run of the given settings is
// (ε, δ)-differentially private, whether or not it makes all its rounds.
func (c Config) Multiplier(epsilon, delta float64) float64 {
	c = c.withDefaults()
	steps := c.BurnIn + c.Rounds*c.LocalSteps + 1
	return math.Sqrt(float64(steps)) / privacy.GaussianRatio(epsilon, delta)
}

func (n Noise) check(c Config) error {
	switch {
	case !(n.Multiplier > 0) || !(n.Radius > 0) || math.IsInf(n.Multiplier, 1) || n.Radius > largest:
		return fmt.Errorf("noise: want a finite multiplier and radius above 0, got %g and %g", n.Multiplier, n.Radius)
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

// variance is that which the noise gives each column of a centre.
func (n Noise) variance(rows float64) float64 {
	sd := math.Sqrt(3) * n.Multiplier * n.Radius / rows
	return sd * sd
}

// clip returns the rows, none further from the middle than the radius.
func (n Noise) clip(x *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(x)
	rows, _ := out.Dims()
	for i := range rows {
		row := out.RawRowView(i)
		floats.AddConst(-n.Middle, row)
		n.shorten(row)
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
	// From a variance that is small, EM begins like k-means; from a large one, all
	// centres would fall on the mean.
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

// sums are those over rows that a step of EM needs, seen from the middle: of each component
// the number of rows and the rows, and of all together the squared lengths.
type sums struct {
	counts []float64
	first  *mat.Dense
	square float64
}

// sums takes those of the rows of x, which are clipped.
func (n Noise) sums(m *gmm.Mixture, x *mat.Dense) (sums, error) {
	k, dim := m.Components(), m.Dim()
	centres := mat.NewDense(k, dim, nil)
	centres.Apply(func(int, int, float64) float64 { return n.Middle }, centres)
	s, _, err := m.Statistics(passes.NewReader(gmm.Matrix(x)), centres, nil, false)
	if err != nil {
		return sums{}, err
	}
	return sums{s.N, mat.NewDense(k, dim, s.First), passes.Sum(s.Second)}, nil
}

// step makes an EM step from m on the rows of x, with noise on the sums that it comes of, and
// returns how many rows there are by these. All components get one variance, for which the
// noise matters less than for that of each.
func (n Noise) step(m *gmm.Mixture, x *mat.Dense) (*gmm.Mixture, float64, error) {
	sd := math.Sqrt(3) * n.Multiplier
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
	// The noise may make clusters narrower than nothing; and if they widened at once,
	// all centres would fall together.
	variance := max(within/total, narrowest*n.Radius*n.Radius) / dim
	variance = min(variance, 2/m.Precision(0).At(0, 0))
	precisions := mat.NewDense(len(weights), m.Dim(), nil)
	precisions.Apply(func(int, int, float64) float64 { return 1 / variance }, precisions)
	floats.Scale(1/total, weights)
	out, err := gmm.NewDiagMixture(gmm.Spherical, weights, means, precisions)
	return out, total, err
}
