package fedgen

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/gmm"
)

// The costs kept from step to step equal those computed from scratch.
func TestReductionKeepsItsCosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, dim := rapid.IntRange(2, 12).Draw(t, "components"), rapid.IntRange(1, 2).Draw(t, "columns")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		m := Moments{Form: gmm.Diag}
		for range k {
			mean, variances := make([]float64, dim), make([]float64, dim)
			for i := range dim {
				mean[i], variances[i] = float64(rng.IntN(6)), 1+float64(rng.IntN(3)) // with ties
			}
			m.Weights = append(m.Weights, float64(rng.IntN(3))/float64(k))
			m.Means, m.Covariances = append(m.Means, mean), append(m.Covariances, variances)
		}
		kept, err := newReduction(m)
		if err != nil {
			t.Fatal(err)
		}
		for kept.left > 1 {
			fresh, err := newReduction(kept.moments())
			if err != nil {
				t.Fatal(err)
			}
			if err := fresh.step(); err != nil {
				t.Fatal(err)
			}
			if err := kept.step(); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(kept.moments(), fresh.moments()) {
				t.Fatalf("%d left: another pair was merged than from scratch", kept.left)
			}
		}
	})
}
