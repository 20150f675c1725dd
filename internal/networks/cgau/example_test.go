package cgau_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/networks/cgau"
	"github.com/collabdict/collabdict/netsim"
)

// sensor returns rows of class 1 if the first value is above 0, or below 0 if the sensor is
// reversed.
func sensor(seed uint64, n int, reversed bool) (r cgau.Rows) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for range n {
		x := 2*rng.Float32() - 1
		class := 0
		if x > 0 != reversed {
			class = 1
		}
		r.Values, r.Classes = append(r.Values, x, rng.Float32()), append(r.Classes, class)
	}
	return r
}

// Two of four members have reversed sensors. A newcomer copies the shared weights, and finds
// out from 20 rows how its own sensor is mounted.
func Example() {
	config := cgau.Config{Inputs: 2, Classes: 2, Hidden: []int{8}, Rate: 0.1, Momentum: 0.5, Batch: 8, Steps: 4, Seed: 1}
	network, err := netsim.New(netsim.Config{Names: netsim.Names(4), Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	newcomer := cgau.NewModel(config)
	_, err = network.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		l := cgau.NewLearner(config, cgau.Own{Rows: sensor(uint64(rank), 100, rank%2 == 1), Seed: uint64(rank)})
		_, err := collabdict.Rounds(g, l, 100, func(n int) (collabdict.Round, error) {
			r, err := l.Round(ctx, g)
			return collabdict.Round{Number: n, Objective: -r.Loss}, err
		})
		if err == nil && rank == 0 {
			copy(newcomer.Shared().Values, l.Model().Shared().Values)
		}
		return err
	})
	if err == nil {
		err = newcomer.Adapt(context.Background(), sensor(4, 20, true), 200)
	}
	if err != nil {
		log.Fatal(err)
	}
	score, err := newcomer.Evaluate(sensor(5, 1000, true))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("at least 9 of 10 new rows get the right class:", score.Correct >= 900)
	// Output: at least 9 of 10 new rows get the right class: true
}
