package chunking_test

import (
	"fmt"
	"log"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

// Each of three members hands a seed to the next one. Both expand it to the same mask, which
// one subtracts and the other adds. The vectors that members then show are random, and add up
// to the sum of the original ones.
func Example() {
	vectors := [][]float64{{1, 20}, {2, 30}, {3, 50}}
	layout, err := chunking.NewLayout(chunking.Ring, len(vectors), []collabdict.Block{{Len: 2, Bound: 100}})
	if err != nil {
		log.Fatal(err)
	}
	shown := make([][]uint64, len(vectors))
	for s, x := range vectors {
		if shown[s], err = layout.Encode(x); err != nil {
			log.Fatal(err)
		}
	}
	for s := range vectors {
		next := (s + 1) % len(vectors)
		secret := [32]byte{byte(s)} // a program uses fresh random bytes
		of := chunking.Context{Slot: 1, From: s, To: next}
		mask := chunking.Mask{Context: of, Purpose: chunking.ForChunk, Seed: chunking.Seed(secret, of)}
		layout.SubtractMask(shown[s], mask)
		layout.AddMask(shown[next], mask)
	}
	sum := shown[0]
	layout.Add(sum, shown[1])
	layout.Add(sum, shown[2])
	total, err := layout.Total(sum, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f\n", total)
	// Output: [6.000000 100.000000]
}

// 5 of 20 members collude. Each member hands seeds to 4 others, and the probability that the 5
// have all of one member's chunks is small.
func ExampleBreachProbability() {
	fmt.Printf("%.1e\n", chunking.BreachProbability(20, 4, 5))
	// Output: 4.7e-05
}
