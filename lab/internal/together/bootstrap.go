package together

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

const draws = 10_000

// interval returns the mean of values and the limits of 90 % of bootstrap means: means of as
// many values drawn with replacement. Each value is a family, so the interval shows how far the
// mean depends on the choice of families. The same values have the same interval.
func interval(values []float64) (mean, low, high float64) {
	random := rand.New(rand.NewPCG(1, uint64(len(values))))
	means := make([]float64, draws)
	for i := range means {
		for range values {
			means[i] += values[random.IntN(len(values))]
		}
		means[i] /= float64(len(values))
	}
	slices.Sort(means)
	return floats.Sum(values) / float64(len(values)), means[draws/20], means[draws-1-draws/20]
}
