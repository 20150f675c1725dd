package gmm_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
)

// A pump runs slowly or fast, and its flow follows its speed. The mixture has both patterns. A
// row whose flow does not follow has a high score, to which both variables contribute.
func Example() {
	rng := rand.New(rand.NewPCG(1, 1))
	rows := mat.NewDense(200, 2, nil) // speed and flow
	for i := range 200 {
		speed := 3*float64(i%2) + 0.3*rng.NormFloat64()
		rows.SetRow(i, []float64{speed, 2*speed + 0.1*rng.NormFloat64()})
	}
	fit, err := gmm.Fit(rows, 2, gmm.EM{}, rand.NewPCG(1, 2))
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range [][]float64{{3, 6}, {3, 5}} {
		why, err := fit.Mixture.Explain(mat.NewDense(1, 2, row))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("score %6.2f, speed and flow add %.2f, expected %.2f\n", fit.Mixture.Score(row), why.Parts.RawRowView(0), why.Expected.RawRowView(0))
	}
	// Output:
	// score  -1.66, speed and flow add [0.01 0.01], expected [3.01 5.99]
	// score  53.88, speed and flow add [54.50 55.55], expected [2.54 5.99]
}
