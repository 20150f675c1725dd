package dem

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/internal/passes"
)

// deviations returns the standard deviation of each column over the rows of all participants,
// or its bound if it is not known.
func (l *Learner) deviations() []float64 {
	m := l.config.Moments
	if m == nil {
		return l.limits.reach(l.origin)
	}
	out := make([]float64, len(l.origin))
	for i := range out {
		mean := m.Sums[i] / m.Count
		out[i] = math.Sqrt(math.Max(0, m.Squares(i)/m.Count-float64(mean*mean)))
	}
	return out
}

// sharpen makes sure that no component of blurred sums about the origin has a covariance matrix
// narrower than the blur. Otherwise, in a direction of almost no variance, noise would turn it
// into a spike.
func (l *Learner) sharpen(sums []float64, k int, form gmm.Covariance) {
	if l.config.Blur == 0 {
		return
	}
	dim := len(l.origin)
	first, second := sums[k:k+k*dim], sums[k+k*dim:]
	for c := range k {
		n := sums[c]
		if n < leastRows {
			continue
		}
		least := l.config.Blur * math.Sqrt(float64(dim)) / n
		if form != gmm.Full {
			least = l.config.Blur / n
		}
		scaled := mat.NewSymDense(dim, nil)
		pair := 0
		each := func(f func(at, i, j int, shift, unit float64)) {
			pair = 0
			for i := range dim {
				for j := i; j < lastOf(i, dim, form); j++ {
					f(pair*k+c, i, j, float64(first[i*k+c]*first[j*k+c])/n, float64(l.scales[i]*l.scales[j]))
					pair++
				}
			}
		}
		each(func(at, i, j int, shift, unit float64) {
			if unit > 0 {
				scaled.SetSym(i, j, (second[at]-shift)/(n*unit))
			}
		})
		passes.Raise(scaled, least)
		each(func(at, i, j int, shift, unit float64) {
			second[at] = shift + float64(n*unit*scaled.At(i, j))
		})
	}
}
