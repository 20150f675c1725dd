package fedgen

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/portable"
)

// Sample draws n rows, n by M. All members that draw from the same moments with the
// same source get the same bytes, on whatever machine.
func (m Moments) Sample(n int, src rand.Source) (*mat.Dense, error) {
	roots, err := m.roots()
	if err != nil {
		return nil, err
	}
	dim := m.Dim()
	x, z := mat.NewDense(n, dim, nil), make([]float64, dim)
	total := 0.0
	for _, w := range m.Weights {
		total += w
	}
	for j := range n {
		k := m.pick(float64(portable.Uniform(src) * total))
		for i := range z {
			z[i] = portable.Normal(src)
		}
		row := x.RawRowView(j)
		copy(row, m.Means[k])
		colour(row, roots[k], z)
	}
	return x, nil
}

// pick returns the component at which the running sum of the weights exceeds u.
func (m Moments) pick(u float64) int {
	last := 0
	for k, w := range m.Weights {
		if w == 0 {
			continue
		}
		if u < w {
			return k
		}
		u -= w
		last = k
	}
	return last
}

// roots returns per component the U with UᵀU = C, or the square roots of its variances.
func (m Moments) roots() ([][]float64, error) {
	out := make([][]float64, len(m.Covariances))
	for k, c := range m.Covariances {
		if m.Form == gmm.Full {
			u, ok := portable.Cholesky(c, m.Dim())
			if !ok {
				return nil, errSingular(k)
			}
			out[k] = u
			continue
		}
		out[k] = make([]float64, len(c))
		for i, v := range c {
			out[k][i] = math.Sqrt(v)
		}
	}
	return out, nil
}

// colour adds Uᵀz to the row, or the product of the square roots with z.
func colour(row, root, z []float64) {
	dim := len(row)
	if len(root) == dim {
		for i, v := range z {
			row[i] += float64(root[i] * v)
		}
		return
	}
	for i, v := range z {
		for j := i; j < dim; j++ {
			row[j] += float64(root[i*dim+j] * v)
		}
	}
}
