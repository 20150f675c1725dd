package fedgen

import (
	"math"
	"math/rand/v2"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// Sample draws n rows, n by M. Members that draw from the same moments with the same source get
// the same bytes on any machine.
func (m Moments) Sample(n int, src rand.Source) (*mat.Dense, error) {
	roots, err := m.roots()
	if err != nil {
		return nil, err
	}
	dim := m.Dim()
	x, z := mat.NewDense(n, dim, nil), make([]float64, dim)
	pick := m.picker()
	for j := range n {
		k := pick(portable.Uniform(src))
		for i := range z {
			z[i] = portable.Normal(src)
		}
		row := x.RawRowView(j)
		copy(row, m.Means[k])
		colour(row, roots[k], z)
	}
	return x, nil
}

// picker returns the function that returns the component at which the running sum of the
// weights exceeds the share u of their total.
func (m Moments) picker() func(u float64) int {
	running, total, last := make([]float64, len(m.Weights)), 0.0, 0
	for k, w := range m.Weights {
		if w > 0 {
			last = k
		}
		total += w
		running[k] = total
	}
	return func(u float64) int {
		at := float64(u * total)
		return min(last, sort.Search(len(running), func(k int) bool { return at < running[k] }))
	}
}

// roots returns, for each component, U with UᵀU = C, or the square roots of its variances.
func (m Moments) roots() ([][]float64, error) {
	out := make([][]float64, len(m.Covariances))
	for k, c := range m.Covariances {
		if m.Form == gmm.Full {
			root, ok := lapack.FactoriseRows(c, m.Dim())
			if !ok {
				return nil, errSingular(k)
			}
			out[k] = root.U()
			continue
		}
		out[k] = make([]float64, len(c))
		for i, v := range c {
			out[k][i] = math.Sqrt(v)
		}
	}
	return out, nil
}

// colour adds Uᵀz to the row, or, for diagonal forms, the roots times z.
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
