package gmm

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// classifier returns the component that each row of a block is in alone, negative
// for none. The result holds until the lane's next block.
type classifier func(l *lane, x []float64) []int

// oneComponent is the classifier of a single component.
func oneComponent(l *lane, x []float64) []int {
	out := l.near.assignment(len(x) / l.dim)
	clear(out)
	return out
}

// nearestOf is the classifier by the nearest of the centres.
func nearestOf(centres *mat.Dense) classifier {
	of := newCentred(centres)
	return func(l *lane, x []float64) []int { return l.near.nearest(x, of) }
}

// hardMoments are the moments of the rows about the centres, each row in the
// component of alone. Of several components they are for rows in one place: two totals
// of them would show a row that has moved.
func hardMoments(r *reader, of classifier, centres *mat.Dense, full bool) (*moments, error) {
	k, dim := centres.Dims()
	lane := make([]*moments, len(r.lanes))
	err := r.sweep(func(l, _ int, x []float64) {
		if lane[l] == nil {
			lane[l] = newMoments(k, dim, full)
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
	total := newMoments(k, dim, full)
	for _, m := range lane {
		total.merge(m)
	}
	return total, nil
}

// addRow adds a row, given as its distance from the centre, to component k.
func (s *moments) addRow(d []float64, k int) {
	s.n[k]++
	floats.Add(s.first[k*s.dim:(k+1)*s.dim], d)
	second := s.second[k*s.stride() : (k+1)*s.stride()]
	for i, v := range d {
		if s.full {
			floats.AddScaled(second[i*s.dim+i:(i+1)*s.dim], v, d[i:])
		} else {
			second[i] += float64(v * v)
		}
	}
}
