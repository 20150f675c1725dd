package privacy_test

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/internal/privacy"
)

// The statistics of one component blend five of six rows equally. Those of the other one are
// nearly a single row, and could reveal it.
func Example() {
	var blended, single privacy.Entropy
	blended.Add([]float64{0, 0, 0, 0, 0, -20}) // logarithms of the rows' weights
	single.Add([]float64{-20, -20, -20, -20, -20, 0})
	components := []privacy.Entropy{blended, single}
	d := privacy.Measure(components, components)
	fmt.Printf("a component blends %.1f rows at most, %.1f at least\n", math.Exp(d.Max), math.Exp(d.Min))
	// Output: a component blends 5.0 rows at most, 1.0 at least
}

// A row can change a sum by up to 10. This much noise hides whether the row is present, if the
// sum is made once, and if it is made four times.
func ExampleGaussianRatio() {
	const sensitivity = 10
	ratio := privacy.GaussianRatio(1, 1e-5)
	fmt.Printf("standard deviation %.1f, or %.1f\n", sensitivity/ratio, sensitivity*math.Sqrt(4)/ratio)
	// Output: standard deviation 37.3, or 74.6
}
