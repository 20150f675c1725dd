package passes

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
)

// A Classifier returns the only component of each row of a block, negative for none. The result
// is valid until the lane's next block.
type Classifier func(l *Lane, x []float64) []int

// OneComponent is the Classifier of a single component.
func OneComponent(l *Lane, x []float64) []int {
	out := l.near.assignment(len(x) / l.dim)
	clear(out)
	return out
}

// NearestOf returns the Classifier by the nearest of the centres.
func NearestOf(centres *mat.Dense) Classifier {
	of := newCentred(centres)
	return func(l *Lane, x []float64) []int { return l.near.nearest(x, of) }
}

// HardMoments returns the moments of the rows about the centres, with each row in one component
// only. With several components, use it only for rows in one place: two totals of such moments
// would show a row that moved between components.
func HardMoments(r *Reader, of Classifier, centres *mat.Dense, full bool) (*Moments, error) {
	k, dim := centres.Dims()
	lane := make([]*Moments, len(r.lanes))
	err := r.Sweep(func(l, _ int, x []float64) {
		if lane[l] == nil {
			lane[l] = NewMoments(k, dim, full)
		}
		d := make([]float64, dim)
		for n, to := range of(&r.lanes[l], x) {
			if to >= 0 {
				floats.SubTo(d, x[n*dim:(n+1)*dim], centres.RawRowView(to))
				lane[l].addRow(d, to)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	total := NewMoments(k, dim, full)
	for _, m := range lane {
		total.Merge(m)
	}
	return total, nil
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
