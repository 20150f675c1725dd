package em

import (
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
)

// Sparse returns the mixture that an M-step makes of blurred estimates of the numbers of rows, means
// and covariance matrices of components, with the relative prior of the given strength and penalty.
// Its weights are the shares of the rows. It also returns the variances within components that scale
// the prior.
func Sparse(rows []float64, means *mat.Dense, covariances []*mat.SymDense, lambda0, lambda float64) (*gmm.Mixture, []float64, error) {
	k, dim := means.Dims()
	s := passes.NewMoments(k, dim, true)
	weights, round := make([]float64, k), make([]*mat.SymDense, k)
	total := passes.Sum(rows)
	for i, n := range rows {
		weights[i], s.N[i], round[i] = n/total, n, mat.NewSymDense(dim, nil)
		mean := means.RawRowView(i)
		for x, v := range mean {
			round[i].SetSym(x, x, 1)
			s.First[i*dim+x] = float64(n * v)
			for y := x; y < dim; y++ {
				s.Second[(i*dim+x)*dim+y] = float64(n * (covariances[i].At(x, y) + float64(v*mean[y])))
			}
		}
	}
	first, err := gmm.NewMixture(weights, means, round)
	if err != nil {
		return nil, nil, err
	}
	p := prior{lambda0: lambda0, relative: &relative{lambda: lambda, variances: pooledVariances(s)}, blurred: true}
	next, err := p.maximise(first, s)
	if err != nil {
		return nil, nil, err
	}
	m, err := next.model.WithWeights(weights)
	return m, p.relative.variances, err
}
