package algorithm_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/dem"
	"github.com/collabdict/collabdict/netsim"
)

// train plays one participant's part of any algorithm, with options given as text.
func train(ctx context.Context, g collabdict.Group, kind algorithm.Kind, options map[string]string, rows *mat.Dense) (algorithm.Model, error) {
	a := kind.New()
	table := a.Options()
	for name, text := range options {
		if err := table.Set(name, text); err != nil {
			return nil, err
		}
	}
	if err := table.Complete(); err != nil {
		return nil, err
	}
	if err := a.Prepare(algorithm.Coordinates{ScaledBy: algorithm.None}); err != nil {
		return nil, err
	}
	out, err := a.Learn(ctx, g, algorithm.Data{Rows: gmm.Matrix(rows), Seed: 1}, func(algorithm.Progress) {})
	return out.Model, err
}

// All algorithms run in the same way, and models implement interfaces for what they can do.
func Example() {
	network, err := netsim.New(netsim.Config{Names: netsim.Names(3), Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	_, err = network.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		rows, rng := mat.NewDense(60, 2, nil), rand.New(rand.NewPCG(uint64(rank), 1))
		rows.Apply(func(i, _ int, _ float64) float64 { return 10*float64(i%2) + 5 + rng.NormFloat64() }, rows)
		m, err := train(ctx, g, dem.Kind, map[string]string{"components": "2"}, rows)
		if err != nil || rank > 0 {
			return err
		}
		d := m.(algorithm.Dictionary)
		fmt.Printf("weights %.1f\n", d.Weights())
		fmt.Printf("means   %.0f\n", mat.Formatted(d.Means(), mat.Prefix("        ")))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// weights [0.5 0.5]
	// means   ⎡15  15⎤
	//         ⎣ 5   5⎦
}
