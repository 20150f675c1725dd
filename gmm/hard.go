package gmm

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// hardMoments are the moments of the rows of x about the centres, row n in
// component assign[n] alone (in none if negative).
func hardMoments(x *mat.Dense, assign []int, centres *mat.Dense, full bool) *moments {
	rows, _ := x.Dims()
	k, dim := centres.Dims()
	lane := make([]*moments, lanes(rows))
	sweep(rows, func(l, lo, hi int) {
		if lane[l] == nil {
			lane[l] = newMoments(k, dim, full)
		}
		d := make([]float64, dim)
		for n := lo; n < hi; n++ {
			if assign[n] >= 0 {
				floats.SubTo(d, x.RawRowView(n), centres.RawRowView(assign[n]))
				lane[l].addRow(d, assign[n])
			}
		}
	})
	total := newMoments(k, dim, full)
	for _, m := range lane {
		total.merge(m)
	}
	return total
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
