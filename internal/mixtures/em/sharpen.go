package dem

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
)

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
		spread := mat.NewSymDense(dim, nil)
		pair := 0
		each := func(f func(at, i, j int, shift float64)) {
			pair = 0
			for i := range dim {
				for j := i; j < lastOf(i, dim, form); j++ {
					f(pair*k+c, i, j, float64(first[i*k+c]*first[j*k+c])/n)
					pair++
				}
			}
		}
		each(func(at, i, j int, shift float64) { spread.SetSym(i, j, (second[at]-shift)/n) })
		passes.Raise(spread, least)
		each(func(at, i, j int, shift float64) { second[at] = shift + float64(n*spread.At(i, j)) })
	}
}
