package simulate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
)

// Training succeeds with constant columns, although the rounding of a sum changes their mean by
// far more than the columns deviate from it.
func TestConstantColumns(t *testing.T) {
	testkit.SkipRaced(t)
	for seed := range testkit.LongOr[uint64](3, 1) {
		rng := rand.New(rand.NewPCG(seed, 1))
		constants := []float64{rng.NormFloat64(), 1e5 * rng.NormFloat64(), 1e-5 * rng.NormFloat64()}
		var parts []dataset.Participant
		for i := range 3 + rng.IntN(8) {
			x := mat.NewDense(100+rng.IntN(200), 4, nil)
			n, _ := x.Dims()
			for j := range n {
				x.SetRow(j, append(constants[:3:3], rng.NormFloat64()))
			}
			parts = append(parts, dataset.Participant{Name: fmt.Sprint("p", i), Columns: []string{"a", "b", "c", "d"}, Train: rows.InMemory(x)})
		}
		for _, kind := range []string{"ggm", "dem"} {
			for _, more := range []string{"standardise=global", "standardise=none", "standardise=own", "pca=2"} {
				k := pipelinetest.Task(t, kind, "rounds=2", "components=2", more, "consensus.scheme=laplacian")
				if _, err := Simulate(t.Context(), k, parts, nil); err != nil {
					t.Errorf("seed %d, %s with %s, %d participants: %v", seed, kind, more, len(parts), err)
				}
			}
		}
	}
}
