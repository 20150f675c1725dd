package rows_test

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/rows"
)

func TestSubsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 50).Draw(t, "rows")
		x := mat.NewDense(n, 2, nil)
		for i := range n {
			x.SetRow(i, []float64{float64(i), float64(-i)})
		}
		index := rapid.SliceOfDistinct(rapid.IntRange(0, n-1), func(i int) int { return i }).Draw(t, "numbers")
		slices.Sort(index)
		in, out := rows.Subset(rows.InMemory(x), index), rows.Without(rows.InMemory(x), index)
		inRows, _ := in.Dims()
		outRows, width := out.Dims()
		if inRows != len(index) || inRows+outRows != n || width != 2 {
			t.Fatalf("%d of %d rows, and %d without them", inRows, n, outRows)
		}
		from := 0
		if inRows > 0 {
			from = rapid.IntRange(0, inRows-1).Draw(t, "from")
		}
		got := make([]float64, 2*(inRows-from))
		if err := in.ReadRows(got, from); err != nil {
			t.Fatal(err)
		}
		for i, number := range index[from:] {
			if got[2*i] != float64(number) || got[2*i+1] != float64(-number) {
				t.Fatalf("row %d is %v, want number %d", i, got[2*i:2*i+2], number)
			}
		}
		rest := make([]float64, 2*outRows)
		if err := out.ReadRows(rest, 0); err != nil {
			t.Fatal(err)
		}
		for i := range outRows {
			if slices.Contains(index, int(rest[2*i])) {
				t.Fatalf("row %g is in both", rest[2*i])
			}
		}
	})
}
