package vae_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/collabdict/collabdict/vae"
)

// A network with one hidden layer learns an exclusive or, which no single layer can.
func Example() {
	x, want := []float32{0, 0, 0, 1, 1, 0, 1, 1}, []float32{0, 1, 1, 0}
	net := vae.New("xor", 2, vae.Layer{Units: 8, Activation: vae.Tanh}, vae.Layer{Units: 1})
	net.Initialise(rand.NewPCG(1, 1))
	adam, d := vae.NewAdam(len(net.Shared.Values), 0.02), make([]float32, len(want))
	for step := 1; step <= 500; step++ {
		y, err := net.Forward(x, nil)
		if err != nil {
			log.Fatal(err)
		}
		loss, err := vae.SquaredError(d, y, want, 1)
		if err != nil {
			log.Fatal(err)
		}
		if step == 500 {
			fmt.Println(y[0] > 0.5, y[1] > 0.5, y[2] > 0.5, y[3] > 0.5, "with a loss below 0.001:", loss < 0.001)
		}
		net.Backward(d, vae.ForParameters)
		adam.Step(net.Shared.Values, net.Shared.Gradient)
	}
	// Output: false true true false with a loss below 0.001: true
}

// The shared parameters of a network are one vector; shapes map its parts to matrices.
func ExampleParameters_Matrices() {
	net := vae.New("encoder", 4, vae.Layer{Units: 3, Activation: vae.ReLU}, vae.Layer{Units: 2})
	fmt.Println(len(net.Shared.Values), "parameters")
	net.Shared.Matrices(func(s vae.Shape, _ []float32) { fmt.Printf("%s: %d x %d\n", s.Name, s.Rows, s.Columns) })
	// Output:
	// 23 parameters
	// encoder.0.weight: 4 x 3
	// encoder.0.bias: 1 x 3
	// encoder.1.weight: 3 x 2
	// encoder.1.bias: 1 x 2
}
