package gmm

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/testkit"
)

// Slices of a matrix are read by their own shape.
func TestMatrixOfASlice(t *testing.T) {
	x := testkit.Patterns(10, 4, 2, 1)
	got := make([]float64, 6)
	if err := Matrix(x.Slice(2, 9, 1, 3).(*mat.Dense)).ReadRows(got, 1); err != nil {
		t.Fatal(err)
	}
	testkit.NearAll(t, "rows", got, []float64{x.At(3, 1), x.At(3, 2), x.At(4, 1), x.At(4, 2), x.At(5, 1), x.At(5, 2)}, 0)
}
