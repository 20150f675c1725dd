package plants

import "math/rand/v2"

// shares are the weights of a plant's shared patterns before variation. A plant with a hundred
// rows sees a rare pattern in about five of them.
var shares = []float64{0.55, 0.2, 0.05, 0.04, 0.03}

// mixing returns the weights of the patterns at every plant. One pattern in five is private to
// a plant. The others are shared: each plant has a main one, a second one and up to three rare
// ones. Main patterns are assigned in turn, so that every shared pattern is some plant's main
// one if there are enough plants.
func mixing(plants, patterns int, random *rand.Rand) [][]float64 {
	private := patterns / 5
	shared := patterns - private
	deal := random.Perm(shared)
	weights := make([][]float64, plants)
	for s := range weights {
		weights[s] = make([]float64, patterns)
		for k, share := range shares {
			if k < shared {
				weights[s][deal[(s+k)%shared]] = share * (0.8 + 0.4*random.Float64())
			}
		}
	}
	for k := shared; k < patterns; k++ {
		weights[random.IntN(plants)][k] = 0.15
	}
	for _, w := range weights {
		normalise(w)
	}
	return weights
}

// later returns the weights in the test rows, halfway to equal weights among the plant's
// patterns: a pattern that was rare in training is less rare.
func later(w []float64) []float64 {
	seen := 0.0
	for _, v := range w {
		if v > 0 {
			seen++
		}
	}
	out := make([]float64, len(w))
	for k, v := range w {
		if v > 0 {
			out[k] = (v + 1/seen) / 2
		}
	}
	return out
}

func normalise(w []float64) {
	sum := 0.0
	for _, v := range w {
		sum += v
	}
	for k := range w {
		w[k] /= sum
	}
}

// pick draws an index with the given weights.
func pick(w []float64, random *rand.Rand) int {
	u := random.Float64()
	last := 0
	for k, v := range w {
		if v == 0 {
			continue
		}
		if last = k; u < v {
			return k
		}
		u -= v
	}
	return last
}
