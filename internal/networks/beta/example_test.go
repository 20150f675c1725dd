package beta_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/networks/beta"
	"github.com/collabdict/collabdict/netsim"
)

// Three machines, each with its own range of loads, have three values from 0 to 1 that follow
// the load, the second one downwards. A row that breaks this has a larger loss.
func Example() {
	network, err := netsim.New(netsim.Config{Names: netsim.Names(3), Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	config := beta.Config{Inputs: 3, Hidden: []int{8}, Latent: 1, Beta: 0.01, Rate: 0.01, Epochs: 5, Seed: 1}
	_, err = network.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		own, rng := beta.Own{Seed: uint64(rank)}, rand.New(rand.NewPCG(uint64(rank), 1))
		for range 128 {
			load := (float32(rank) + rng.Float32()) / 3
			own.Rows = append(own.Rows, load, 1-load, load)
		}
		l := beta.NewLearner(config, own)
		err := l.Start(ctx, g)
		if err == nil {
			_, err = collabdict.Rounds(g, l, 40, func(n int) (collabdict.Round, error) {
				r, err := l.Round(ctx, g)
				return collabdict.Round{Number: n, Objective: -r.Loss}, err
			})
		}
		if err != nil || rank != 0 {
			return err
		}
		rows := gmm.Matrix(mat.NewDense(2, 3, []float64{0.8, 0.2, 0.8, 0.8, 0.8, 0.8}))
		return l.Model().Score(rows, func(s beta.Scores) { fmt.Printf("losses %.2f\n", s.Loss) })
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: losses [0.03 0.26]
}
