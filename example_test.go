package collabdict_test

import (
	"context"
	"fmt"
	"log"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/netsim"
)

// mean is a learner for the mean of all participants' numbers.
type mean struct {
	own   []float64 // each from 0 to 100; no participant has more than 1000
	value float64
}

func (*mean) Start(context.Context, collabdict.Group) error { return nil }

func (m *mean) LocalUpdate() (collabdict.Summand, error) {
	sum := 0.0
	for _, v := range m.own {
		sum += v
	}
	return collabdict.Summand{
		Entry:  "mean", // what the total shows
		Values: []float64{sum, float64(len(m.own))},
		Blocks: []collabdict.Block{{Len: 1, Bound: 100_000}, {Len: 1, Bound: 1000}},
	}, nil
}

func (m *mean) Optimize(total []float64, included bool) (objective float64, err error) {
	m.value = total[0] / total[1]
	return m.value, nil
}

// Three clinics learn the mean age of all their patients. None sees another's sum or ages.
func Example() {
	ages := [][]float64{{31, 64, 70}, {25, 49}, {58, 88, 34, 31}}
	network, err := netsim.New(netsim.Config{Names: []string{"ann", "bob", "eve"}, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	_, err = network.Run(context.Background(), func(ctx context.Context, rank int, g collabdict.Group) error {
		clinic := &mean{own: ages[rank]}
		if _, err := collabdict.Train(ctx, g, clinic, collabdict.Options{Rounds: 1}); err != nil {
			return err
		}
		if rank == 0 {
			fmt.Printf("mean age %.2f\n", clinic.value)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: mean age 50.00
}

// A value outside its bound is an error, never a wrong sum.
func ExampleCheckBlocks() {
	fmt.Println(collabdict.CheckBlocks([]float64{1, 2, 30}, []collabdict.Block{{Len: 2, Bound: 5}, {Len: 1, Bound: 20}}))
	// Output: value 2 of the vector is 30, outside its bound ±20
}
