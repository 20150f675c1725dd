package fedgem_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
	"github.com/collabdict/collabdict/netsim"
)

// Each of three shops knows two kinds of customers, and there are three kinds in all. No shop
// knows that number.
func Example() {
	kinds := [][]float64{{0, 0}, {10, 0}, {0, 10}}
	network, err := netsim.New(netsim.Config{Names: netsim.Names(3), Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	_, err = network.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		rows, rng := mat.NewDense(80, 2, nil), rand.New(rand.NewPCG(uint64(rank), 1))
		rows.Apply(func(i, j int, _ float64) float64 { return kinds[(rank+i%2)%3][j] + rng.NormFloat64() }, rows)
		a := fedgem.Kind.New()
		options := a.Options()
		if err := options.Complete(); err != nil {
			return err
		}
		if err := a.Prepare(algorithm.Coordinates{ScaledBy: algorithm.None}); err != nil {
			return err
		}
		out, err := a.Learn(ctx, g, algorithm.Data{Rows: gmm.Matrix(rows), Seed: 1}, func(algorithm.Progress) {})
		if err != nil {
			return err
		}
		if c := out.Model.(algorithm.Clusterer); rank == 0 {
			fmt.Printf("%d kinds of customers, this shop's are %v\n", c.Components(), c.OwnClusters())
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: 3 kinds of customers, this shop's are [0 1]
}
