package glasso_test

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/mixtures/glasso"
)

// In a chain of three sensors the outer two are correlated only through the middle one. The
// precision shows this by a 0, which the covariance does not have.
func Example() {
	p := glasso.Problem{Penalty: 0.1, S: mat.NewSymDense(3, []float64{
		1.00, 0.40, 0.16,
		0.40, 1.00, 0.40,
		0.16, 0.40, 1.00,
	})}
	r, err := p.Solve(nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", mat.Formatted(r.Precision))
	fmt.Println("the objective is within 1e-6 of the largest:", r.Gap < 1e-6)
	// Output:
	// ⎡ 0.98  -0.27   0.00⎤
	// ⎢-0.27   1.06  -0.27⎥
	// ⎣ 0.00  -0.27   0.98⎦
	// the objective is within 1e-6 of the largest: true
}
