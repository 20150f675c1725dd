package graph_test

import (
	"fmt"
	"log"

	"github.com/collabdict/collabdict/consensus/graph"
)

// A hundred members have at most four neighbours each. The speed of averaging depends on the
// graph: the larger lambda2/lambdaMax is, the fewer iterations are needed.
func Example() {
	for _, kind := range []graph.Kind{graph.Ring, graph.HamiltonCycles, graph.RandomRegular} {
		g, err := graph.New(kind, 100, 4)
		if err != nil {
			log.Fatal(err)
		}
		s, err := g.Spectrum()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-15s degree %d, diameter %2d, lambda2/lambdaMax %.3f\n", kind, g.Degree(), g.Diameter(), s.Lambda2/s.LambdaMax)
	}
	// Output:
	// ring            degree 2, diameter 50, lambda2/lambdaMax 0.001
	// hamilton-cycles degree 4, diameter  6, lambda2/lambdaMax 0.097
	// random-regular  degree 4, diameter  6, lambda2/lambdaMax 0.104
}

// Some kinds have no graph of a given size.
func ExampleKind_Check() {
	fmt.Println(graph.Hypercube.Check(16))
	fmt.Println(graph.Hypercube.Check(100))
	// Output:
	// <nil>
	// graph: hypercube wants a power of two as the number of members, got 100; choose 64 or 128 members, or hamilton-cycles
}
