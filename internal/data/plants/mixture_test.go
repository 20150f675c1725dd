package plants

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// mixture is a plain Gaussian mixture to judge the data: plants share means and covariances, and
// each has its own weights.
type mixture struct {
	weights [][]float64 // by plant
	means   []*mat.VecDense
	factors []mat.Cholesky
}

// fit runs EM on the rows of the plants.
func fit(plants []*mat.Dense, components, rounds int, random *rand.Rand) *mixture {
	_, cols := plants[0].Dims()
	m := &mixture{factors: make([]mat.Cholesky, components)}
	for range plants {
		w := make([]float64, components)
		for k := range w {
			w[k] = 1 / float64(components)
		}
		m.weights = append(m.weights, w)
	}
	for k := range components {
		x := plants[k%len(plants)]
		n, _ := x.Dims()
		m.means = append(m.means, mat.VecDenseCopyOf(x.RowView(random.IntN(n))))
		m.factors[k].Factorize(identity(cols))
	}
	for range rounds {
		m.round(plants)
	}
	return m
}

func (m *mixture) round(plants []*mat.Dense) {
	_, cols := plants[0].Dims()
	k := len(m.means)
	mass := make([]float64, k)
	sums, squares := make([]*mat.VecDense, k), make([]*mat.SymDense, k)
	for c := range k {
		sums[c], squares[c] = mat.NewVecDense(cols, nil), mat.NewSymDense(cols, nil)
	}
	for s, x := range plants {
		n, _ := x.Dims()
		p, _ := m.responsibilities(s, x)
		for c := range k {
			weighted := mat.DenseCopyOf(x)
			for i, r := range p[c] {
				floats.Scale(math.Sqrt(r), weighted.RawRowView(i))
				sums[c].AddScaledVec(sums[c], r, x.RowView(i))
			}
			squares[c].SymRankK(squares[c], 1, weighted.T())
			mass[c] += floats.Sum(p[c])
			m.weights[s][c] = floats.Sum(p[c]) / float64(n)
		}
	}
	const prior = 1 // row's worth of a unit covariance
	for c := range k {
		m.means[c].ScaleVec(1/(mass[c]+1e-9), sums[c])
		var cov mat.SymDense
		cov.SymRankOne(squares[c], -mass[c], m.means[c])
		cov.AddSym(&cov, scaled(prior, cols))
		cov.ScaleSym(1/(mass[c]+prior), &cov)
		if !m.factors[c].Factorize(&cov) {
			m.factors[c].Factorize(identity(cols))
		}
	}
}

// responsibilities returns those of each component for the rows of plant s, and the rows'
// log-likelihoods.
func (m *mixture) responsibilities(s int, x *mat.Dense) (p [][]float64, loglik []float64) {
	n, cols := x.Dims()
	loglik = make([]float64, n)
	for c := range m.means {
		centred := mat.DenseCopyOf(x)
		for i := range n {
			floats.Sub(centred.RawRowView(i), m.means[c].RawVector().Data)
		}
		var u mat.TriDense
		var white mat.Dense
		m.factors[c].UTo(&u)
		_ = u.SolveTo(&white, true, centred.T()) // badly conditioned is still good enough here
		square := make([]float64, n)
		for j := range cols {
			row := white.RawRowView(j)
			floats.Add(square, floats.MulTo(row, row, row))
		}
		constant := math.Log(m.weights[s][c]+1e-12) - m.factors[c].LogDet()/2
		for i, v := range square {
			square[i] = constant - v/2
		}
		p = append(p, square)
	}
	at := make([]float64, len(p))
	for i := range n {
		for c := range p {
			at[c] = p[c][i]
		}
		loglik[i] = floats.LogSumExp(at)
		for c := range p {
			p[c][i] = math.Exp(p[c][i] - loglik[i])
		}
	}
	return p, loglik
}

// scores are the negative log-likelihoods of plant s's rows.
func (m *mixture) scores(s int, x *mat.Dense) []float64 {
	_, loglik := m.responsibilities(s, x)
	floats.Scale(-1, loglik)
	return loglik
}

func identity(n int) *mat.SymDense { return scaled(1, n) }

func scaled(v float64, n int) *mat.SymDense {
	s := mat.NewSymDense(n, nil)
	for j := range n {
		s.SetSym(j, j, v)
	}
	return s
}
