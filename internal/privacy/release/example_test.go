package release_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/privacy/release"
)

// A pattern of 999 rows, learned with ρ = 10, is released. The release reveals little about any
// row, if two rows are at most 2 apart.
func Example() {
	m, err := gmm.NewMixture([]float64{1}, mat.NewDense(1, 2, []float64{5, -3}), []*mat.SymDense{mat.NewSymDense(2, []float64{4, 0, 0, 1})})
	if err != nil {
		log.Fatal(err)
	}
	p := &release.Posterior{Mixture: m, Rows: []float64{999}, Lambda0: 1, Bound: func(rows float64) float64 { return 2 * (rows + 1) / 10 }}
	loss := p.Loss(2)
	fmt.Printf("epsilon %.3f, or %.2f whatever the precisions are\n", loss.Precisions.Epsilon(1e-5), loss.Prior.Epsilon(1e-5))
	fmt.Printf("mean    %.1f\n", p.Draw(rand.NewPCG(1, 2)).Means().RawRowView(0)) // use a source that nobody can guess
	// Output:
	// epsilon 0.440, or 3.85 whatever the precisions are
	// mean    [5.0 -3.0]
}
