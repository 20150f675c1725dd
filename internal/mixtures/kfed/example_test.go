package kfed_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/mixtures/kfed"
	"github.com/collabdict/collabdict/netsim"
)

// Each of four depots knows two kinds of trips, by hours and kilometres, and there are four
// kinds in all. In one round each of them learns the centres of all kinds.
func Example() {
	kinds := [][]float64{{1, 30}, {4, 200}, {8, 90}, {9, 500}}
	network, err := netsim.New(netsim.Config{Names: netsim.Names(4), Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	_, err = network.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		rows, rng := mat.NewDense(100, 2, nil), rand.New(rand.NewPCG(uint64(rank), 1))
		rows.Apply(func(i, j int, _ float64) float64 { return kinds[(rank+i%2)%4][j] + 0.5*rng.NormFloat64() }, rows)
		centres, few, err := kfed.Cluster(ctx, g, rows, kfed.Config{Local: 2, Clusters: 4}, rand.NewPCG(uint64(rank), 2))
		if err != nil {
			return err
		}
		if rank == 0 {
			fmt.Printf("%d of the own clusters had too few rows to be shown\n%.0f\n", few, mat.Formatted(centres))
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0 of the own clusters had too few rows to be shown
	// ⎡  1   30⎤
	// ⎢  4  200⎥
	// ⎢  9  500⎥
	// ⎣  8   90⎦
}
