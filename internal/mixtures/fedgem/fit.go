package fedgem

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
)

const (
	starts     = 20 // by k-means++
	firstSteps = 10
	regCovar   = 1e-6
)

// fit returns the mixture after EM steps from the start that is likeliest after its first step.
// If a component has fewer rows than span the space, its likelihood can grow without limit by
// collapsing on them. Such a mixture is used only if there is no other, and sound is then
// false.
func fit(x *mat.Dense, k int, full bool, steps int, seed uint64) (best *gmm.Mixture, sound bool, err error) {
	likeliest := math.Inf(-1)
	rows, dim := x.Dims()
	for s := range starts {
		m, err := fitOnce(x, k, full, min(steps, firstSteps), rand.NewPCG(seed, uint64(s)))
		if err != nil {
			return nil, false, err
		}
		l := passes.Sum(m.LogDensities(nil, x))
		isSound := floats.Min(m.Weights())*float64(rows) > float64(dim+1)
		if best == nil || isSound && !sound || isSound == sound && l > likeliest {
			best, sound, likeliest = m, isSound, l
		}
	}
	for n := firstSteps; n < steps; n++ {
		if best, err = step(best, x); err != nil {
			return nil, false, err
		}
	}
	return best, sound, nil
}

func fitOnce(x *mat.Dense, k int, full bool, steps int, src rand.Source) (*gmm.Mixture, error) {
	em := gmm.EM{Form: gmm.Full, RegCovar: regCovar, Tol: -1, Iterations: steps}
	if !full {
		em.Form, em.Iterations = gmm.Spherical, 1
	}
	f, err := gmm.Fit(x, k, em, src)
	if err != nil {
		return nil, err
	}
	if full {
		return f.Mixture, nil
	}
	m, err := tied(f.Mixture)
	for n := 1; n < steps && err == nil; n++ {
		m, err = step(m, x)
	}
	return m, err
}

// step makes one EM step. Spherical clusters of a participant all get the same variance.
func step(m *gmm.Mixture, x *mat.Dense) (*gmm.Mixture, error) {
	next, err := m.MStep(m.EStep(x), regCovar)
	if err != nil || m.Form() == gmm.Full {
		return next, err
	}
	return tied(next)
}

// tied returns spherical clusters with one variance, averaged by their rows. A shared variance
// keeps clusters from collapsing on a few rows.
func tied(m *gmm.Mixture) (*gmm.Mixture, error) {
	variance, weights := 0.0, m.Weights()
	for k, w := range weights {
		variance += w / m.Precision(k).At(0, 0)
	}
	precisions := mat.NewDense(len(weights), m.Dim(), nil)
	precisions.Apply(func(int, int, float64) float64 { return 1 / variance }, precisions)
	return gmm.NewDiagMixture(gmm.Spherical, weights, m.Means(), precisions)
}
