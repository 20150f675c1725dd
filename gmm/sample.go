package gmm

import (
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict/internal/mixtures/density"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// Sample draws n rows, n by M; n is at least 1. The same source gives the same rows on machines
// of one architecture only, because the last bits of NormFloat64 differ. That is enough for rows
// that no other member draws, too; package fedgen draws rows that are equal everywhere.
func (m *Mixture) Sample(n int, src rand.Source) *mat.Dense {
	rng := rand.New(src)
	dim := m.Dim()
	out := mat.NewDense(n, dim, nil)
	for j := range n {
		k := draw(m.weights, rng.Float64())
		x := out.RawRowView(j)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		colour(m.parts[k], x)
		for i, mu := range m.means.RawRowView(k) {
			x[i] += mu
		}
	}
	return out
}

// DrawMean draws from N(μ_k, (rows·Λ_k)⁻¹), the uncertainty of a mean estimated from this number of
// rows. The same source gives the same mean on all machines: a process that resumes a run draws it
// again.
func (m *Mixture) DrawMean(k int, rows float64, src rand.Source) []float64 {
	z := make([]float64, m.Dim())
	for i := range z {
		z[i] = portable.Normal(src)
	}
	colour(m.parts[k], z)
	for i, mu := range m.means.RawRowView(k) {
		z[i] = mu + z[i]/math.Sqrt(rows)
	}
	return z
}

// draw returns the index at which the running sum of the weights exceeds the share u of their
// total.
func draw(weights []float64, u float64) int {
	total, last := 0.0, 0
	for k, w := range weights {
		if w > 0 {
			last = k
		}
		total += w
	}
	u *= total
	for k, w := range weights {
		if u < w {
			return k
		}
		u -= w
	}
	return last
}

// colour turns a standard normal z into U⁻¹z, which has the covariance (UᵀU)⁻¹ = Λ⁻¹.
func colour(p density.Part, z []float64) {
	if p.Root == nil {
		for i, v := range p.Diagonal {
			z[i] /= math.Sqrt(v)
		}
		return
	}
	for i := len(z) - 1; i >= 0; i-- {
		row, sum := p.Root[i*len(z):][:len(z)], 0.0
		for j := i + 1; j < len(z); j++ {
			sum += float64(row[j] * z[j]) // not fused, for DrawMean
		}
		z[i] = (z[i] - sum) / row[i]
	}
}
