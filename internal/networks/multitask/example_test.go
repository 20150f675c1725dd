package multitask_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/networks/multitask"
	"github.com/collabdict/collabdict/netsim"
)

// Three machines, each with its own range of loads, have three sensors that follow the load.
// The decoder learns this relation from all of them; a row in which one sensor does not follow
// stands out.
func Example() {
	network, err := netsim.New(netsim.Config{Names: netsim.Names(3), Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	_, err = network.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		rows, rng := mat.NewDense(128, 3, nil), rand.New(rand.NewPCG(uint64(rank), 1))
		for i := range 128 {
			load := float64(rank-1) + 0.5*rng.NormFloat64()
			rows.SetRow(i, []float64{load + 0.1*rng.NormFloat64(), 0.1*rng.NormFloat64() - load, load + 0.1*rng.NormFloat64()})
		}
		l, err := multitask.NewLearner(gmm.Matrix(rows), multitask.Config{Latent: 1, Hidden: []int{8}, LocalSteps: 10, Rate: 0.01, Seed: 1}, uint64(rank))
		if err != nil {
			return err
		}
		if _, err := collabdict.Train(ctx, g, l, collabdict.Options{Rounds: 60}); err != nil || rank != 1 {
			return err
		}
		m := multitask.Trained{Model: l.Model()}
		why, err := m.Explain(mat.NewDense(2, 3, []float64{0.5, -0.5, 0.5, 0.5, 0.5, 0.5}))
		if err != nil {
			return err
		}
		for i := range 2 {
			row := why.Parts.RawRowView(i)
			fmt.Printf("row %d: sensor %d adds most to the score, %.1f\n", i+1, 1+floats.MaxIdx(row), floats.Max(row))
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// row 1: sensor 2 adds most to the score, 0.5
	// row 2: sensor 2 adds most to the score, 5.7
}
