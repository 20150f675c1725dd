package fedgen_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/mixtures/fedgen"
	"github.com/collabdict/collabdict/netsim"
)

// Each of three pumps knows two of three ways to run. In one round they learn a mixture of all
// three. A row far from everything that any pump has seen stands out.
func Example() {
	ways := [][]float64{{10, 10}, {20, 10}, {10, 20}}
	config := fedgen.Config{Local: fedgen.Range{Min: 1, Max: 4}, Global: fedgen.Range{Min: 1, Max: 6}, Reduce: true}
	network, err := netsim.New(netsim.Config{Names: netsim.Names(3), Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	_, err = network.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		rows, rng := mat.NewDense(200, 2, nil), rand.New(rand.NewPCG(uint64(rank), 1))
		rows.Apply(func(i, j int, _ float64) float64 { return ways[(rank+i%2)%3][j] + rng.NormFloat64() }, rows)
		own, _, err := fedgen.Local(rows, config)
		if err != nil {
			return err
		}
		result, err := fedgen.Exchange(ctx, g, own, config)
		if err != nil {
			return err
		}
		if m := result.Mixture; rank == 0 {
			fmt.Printf("%d components of %d rows became %d\n", result.Gathered, result.Rows, m.Components())
			fmt.Printf("scores: %.0f of a usual row, %.0f of an odd one\n", m.Score([]float64{20, 10}), m.Score([]float64{20, 20}))
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 6 components of 600 rows became 3
	// scores: 2 of a usual row, 42 of an odd one
}
