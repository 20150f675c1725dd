package exposure_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
	"github.com/collabdict/collabdict/internal/privacy/exposure"
)

var colluders = []int{1, 2, 3, 5, 8, 12}

// Coalitions compute the expected share of vectors from one session of few rounds. On a
// hypercube they get the vector of their partner in the first round, t/(n-1). Folding in hides
// the members that a core member adds up, and growing blocks show more.
func TestExposureOfSessionsOfFewRounds(t *testing.T) {
	pairs := []float64{1 / 31., 2 / 31., 3 / 31., 5 / 31., 8 / 31., 12 / 31.}
	for _, c := range []struct {
		name       string
		size, k    int
		arithmetic chunking.Arithmetic
		known      []float64 // share by number of colluders; without a formula, measured on 3000 coalitions
	}{
		{"hypercube", 32, 1, chunking.Ring, pairs},
		{"hypercube in the field", 32, 1, chunking.Field, pairs},
		{"base-4 graph, pairs first", 32, 3, chunking.Field, pairs},
		{"fold-in", 31, 1, chunking.Ring, []float64{.0175, .0362, .0555, .0953, .1693, .2768}},
		{"fold-in, k = 3", 31, 3, chunking.Ring, []float64{.0244, .0499, .0736, .1178, .1981}},
		{"base-2 graph", 31, 1, chunking.Field, []float64{.0469, .0883, .1242, .1921, .2903, .4186}},
		{"base-4 graph", 31, 3, chunking.Field, []float64{.0841, .1639, .2364, .3721, .5497, .7289}},
	} {
		plan := planOf(t, c.size, c.k, c.arithmetic)
		for i, known := range c.known {
			rng := rand.New(rand.NewPCG(uint64(i), 7))
			q, deviation := exposure.Probability(plan, c.arithmetic, colluders[i], 150, rng)
			if math.Abs(q-known) > 3*deviation+5e-4 {
				t.Errorf("%s of %d, %d colluders: %.4f ± %.4f, want %.4f", c.name, c.size, colluders[i], q, deviation, known)
			}
		}
	}
}

func planOf(t *testing.T, size, k int, a chunking.Arithmetic) session.Plan {
	t.Helper()
	var plan session.Plan
	var err error
	if a == chunking.Field {
		plan, err = session.NewBaseK(size, k)
	} else {
		plan, err = session.NewFoldIn(size, k, a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return plan
}
