package passes

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// A Classifier returns a function for one lane, which returns the only component of each row of a block,
// negative for none. Its result is valid until the lane's next block.
type Classifier func(dim int) func(x []float64) []int

// OneComponent is the Classifier of a single component.
func OneComponent(dim int) func(x []float64) []int {
	var one assigner
	return func(x []float64) []int {
		out := one.assignment(len(x) / dim)
		clear(out)
		return out
	}
}

// NearestOf returns the Classifier by the nearest of the centres.
func NearestOf(centres *mat.Dense) Classifier {
	of := newCentred(centres)
	return func(int) func(x []float64) []int {
		var near assigner
		return func(x []float64) []int { return near.nearest(x, of) }
	}
}

// HardMoments returns the moments of the rows about the centres, with each row in one component
// only. With several components, use it only for rows in one place: two totals of such moments
// would show a row that moved between components.
func HardMoments(r *Reader, of Classifier, centres *mat.Dense, full bool) (*Moments, error) {
	k, dim := centres.Dims()
	parts, err := lanes.HereOnly(func(l *lanes.Lane) (*Moments, error) {
		sums, d, component := NewMoments(k, dim, full), make([]float64, dim), of(dim)
		return sums, l.Blocks(func(_ int, x []float64) {
			for n, to := range component(x) {
				if to >= 0 {
					floats.SubTo(d, x[n*dim:(n+1)*dim], centres.RawRowView(to))
					sums.addRow(d, to)
				}
			}
		})
	}).Over(r.Rows, struct{}{})
	if err != nil {
		return nil, err
	}
	for _, m := range parts[1:] {
		parts[0].Merge(m)
	}
	return parts[0], nil
}

// addRow adds a row, given relative to the centre, to component k.
func (s *Moments) addRow(d []float64, k int) {
	s.N[k]++
	floats.Add(s.First[k*s.Dim:(k+1)*s.Dim], d)
	second := s.Second[k*s.Stride() : (k+1)*s.Stride()]
	for i, v := range d {
		if s.Full {
			kernels.AddScaled(second[i*s.Dim+i:(i+1)*s.Dim], v, d[i:])
		} else {
			second[i] += float64(v * v)
		}
	}
}
