package scenario_test

import (
	"context"
	"fmt"
	"log"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/scenario"
	"github.com/collabdict/collabdict/netsim"
)

// One of five members crashes in the second of three rounds, while messages are slow and some
// get lost. The others continue without it.
func Example() {
	faults, err := scenario.Parse("faults", "compute:time=1s;latency:kind=log-normal,median=40ms,sigma=0.5;loss:rate=0.01;crash:node=5,round=2")
	if err != nil {
		log.Fatal(err)
	}
	config := netsim.Config{Names: netsim.Names(5), Seed: 1, Settings: consensus.Settings{Scheme: consensus.Exact}}
	if err := faults.Apply(&config); err != nil {
		log.Fatal(err)
	}
	network, err := netsim.New(config)
	if err != nil {
		log.Fatal(err)
	}
	_, err = network.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		for round := range 3 {
			g.StartRound(round+1, [32]byte{})
			total, err := g.Sum(ctx, collabdict.Summand{Values: []float64{1}, Blocks: []collabdict.Block{{Len: 1, Bound: 1}}})
			if err != nil {
				return err
			}
			if rank == 0 {
				fmt.Printf("round %d: %.0f members\n", round+1, total[0])
			}
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// round 1: 5 members
	// round 2: 4 members
	// round 3: 4 members
}

// An error gives the place in the scenario and the value wanted.
func ExampleScenario_Apply() {
	faults, err := scenario.Parse("faults", "crash:node=8,at=2m")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(faults.Apply(&netsim.Config{Names: netsim.Names(5)}))
	// Output: faults: fault 1, crash: node: want a member's name or a number from 1 to 5, got "8"
}
