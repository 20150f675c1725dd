package adversary_test

import (
	"context"
	"fmt"
	"log"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/scenario/adversary"
	"github.com/collabdict/collabdict/netsim"
)

// One of five members multiplies its 2 by 500. The bound, which all have agreed on, limits its
// part to 10.
func Example() {
	network, err := netsim.New(netsim.Config{
		Names: netsim.Names(5), Seed: 1, Settings: consensus.Settings{Scheme: consensus.Exact},
		Adversaries: map[int]netsim.Adversary{4: adversary.Scaled{Factor: 500}},
	})
	if err != nil {
		log.Fatal(err)
	}
	_, err = network.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		total, err := g.Sum(ctx, collabdict.Summand{Values: []float64{2}, Blocks: []collabdict.Block{{Len: 1, Bound: 10}}})
		if err == nil && rank == 0 {
			fmt.Printf("the sum is %.3f\n", total[0])
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: the sum is 18.000
}

// A silent member is left out, and the others get their sum.
func ExampleSilent() {
	network, err := netsim.New(netsim.Config{
		Names: netsim.Names(5), Seed: 1, Settings: consensus.Settings{Scheme: consensus.Exact},
		Adversaries: map[int]netsim.Adversary{4: adversary.Silent{}},
	})
	if err != nil {
		log.Fatal(err)
	}
	report, err := network.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		total, err := g.Sum(ctx, collabdict.Summand{Values: []float64{2}, Blocks: []collabdict.Block{{Len: 1, Bound: 10}}})
		if err == nil && rank == 0 {
			fmt.Printf("the sum is %.3f\n", total[0])
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	last := report.Slots[len(report.Slots)-1]
	fmt.Println("of members", last.Decision.Members)
	// Output:
	// the sum is 8.000
	// of members [0 1 2 3]
}
