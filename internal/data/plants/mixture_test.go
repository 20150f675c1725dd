package plants

import (
	"math"
	"math/rand/v2"

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
		own := make([]float64, k)
		for i := range n {
			p, _ := m.responsibilities(s, x.RowView(i))
			for c, r := range p {
				own[c] += r / float64(n)
				mass[c] += r
				sums[c].AddScaledVec(sums[c], r, x.RowView(i))
				squares[c].SymRankOne(squares[c], r, x.RowView(i))
			}
		}
		m.weights[s] = own
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

// responsibilities also returns the log-likelihood of the row.
func (m *mixture) responsibilities(s int, x mat.Vector) ([]float64, float64) {
	p := make([]float64, len(m.means))
	top := math.Inf(-1)
	for c := range p {
		var d mat.VecDense
		d.SubVec(x, m.means[c])
		var solved mat.VecDense
		_ = m.factors[c].SolveVecTo(&solved, &d) // badly conditioned is still good enough here
		p[c] = math.Log(m.weights[s][c]+1e-12) - m.factors[c].LogDet()/2 - mat.Dot(&d, &solved)/2
		top = math.Max(top, p[c])
	}
	sum := 0.0
	for c := range p {
		p[c] = math.Exp(p[c] - top)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
	return p, top + math.Log(sum)
}

// scores are the negative log-likelihoods of plant s's rows.
func (m *mixture) scores(s int, x *mat.Dense) []float64 {
	n, _ := x.Dims()
	out := make([]float64, n)
	for i := range out {
		_, ll := m.responsibilities(s, x.RowView(i))
		out[i] = -ll
	}
	return out
}

func identity(n int) *mat.SymDense { return scaled(1, n) }

func scaled(v float64, n int) *mat.SymDense {
	s := mat.NewSymDense(n, nil)
	for j := range n {
		s.SetSym(j, j, v)
	}
	return s
}
