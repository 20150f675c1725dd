package audittest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/collabdict/collabdict/internal/testkit"
)

// Draws is the number of draws for each of two neighbours.
const Draws = 20000

// Audit holds draws of a statistic of a mechanism's output for two neighbouring sets of rows.
// One half chooses a threshold, the other half judges it. All are sorted.
type Audit struct{ choose, judge [2][]float64 }

// SkipRaced skips a test under the race detector.
func SkipRaced(t testing.TB) {
	t.Helper()
	if testkit.Raced {
		t.Skip("SKIPPED: the race detector makes this number of draws too slow")
	}
}

// Run draws a statistic of a mechanism's output for two neighbours. A larger statistic must
// speak for the second one; the logarithm of the likelihood ratio makes the best test. Run
// skips the test under the race detector.
func Run(t testing.TB, first, second func(rand.Source) float64) *Audit {
	t.Helper()
	SkipRaced(t)
	var a Audit
	for side, draw := range []func(rand.Source) float64{first, second} {
		src, all := rand.NewPCG(uint64(side), 1), make([]float64, Draws)
		for i := range all {
			all[i] = draw(src)
		}
		a.choose[side], a.judge[side] = all[:Draws/2], all[Draws/2:]
		slices.Sort(a.choose[side])
		slices.Sort(a.judge[side])
	}
	return &a
}

// Epsilon returns a lower bound of the mechanism's ε at δ, with 99 % confidence. If the test
// says yes for one neighbour with probability p, (ε, δ)-differential privacy makes it say yes
// for the other with probability e^−ε (p − δ) at least. The bound is 0 if the draws show
// nothing.
func (a *Audit) Epsilon(delta float64) float64 {
	most, best, above := 0.0, 0.0, true
	for _, all := range a.choose {
		for i := 0; i < len(all); i += 20 {
			for _, side := range []bool{true, false} {
				if e := shown(a.choose, all[i], side, delta); e > most {
					most, best, above = e, all[i], side
				}
			}
		}
	}
	return max(0, shown(a.judge, best, above, delta))
}

// shown bounds ε by one test: whether the statistic is above the threshold, for the second
// neighbour, or at most the threshold, for the first.
func shown(draws [2][]float64, cut float64, above bool, delta float64) float64 {
	var hits [2]int
	for side, all := range draws {
		at, _ := slices.BinarySearch(all, math.Nextafter(cut, math.Inf(1)))
		hits[side] = at
		if above {
			hits[side] = len(all) - at
		}
	}
	yes, no := hits[0], hits[1]
	if above {
		yes, no = no, yes
	}
	n := len(draws[0])
	return math.Log(math.Max(least(yes, n)-delta, 0) / most(no, n))
}

// least and most bound a probability with 99.5 % confidence each, given the number of hits
// (Clopper and Pearson 1934).
func least(hits, of int) float64 {
	if hits == 0 {
		return 0
	}
	return distuv.Beta{Alpha: float64(hits), Beta: float64(of - hits + 1)}.Quantile(0.005)
}

func most(hits, of int) float64 {
	if hits == of {
		return 1
	}
	return distuv.Beta{Alpha: float64(hits + 1), Beta: float64(of - hits)}.Quantile(0.995)
}
