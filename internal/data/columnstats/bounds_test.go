package columnstats

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
)

// matrix holds rows in memory.
type matrix struct{ *mat.Dense }

func (m matrix) ReadRows(x []float64, from int) error {
	_, dim := m.Dims()
	copy(x, m.RawMatrix().Data[from*dim:])
	return nil
}

// The bounds of the number of rows and of the root mean squares hold, and are at most twice these
// values.
func TestBoundsAreTight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(1, 40).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "columns")
		values := rapid.SliceOfN(rapid.Float64Range(-1e9, 1e9), n*dim, n*dim).Draw(t, "values")
		x := mat.NewDense(n, dim, values)
		b, err := Agree(context.Background(), collabdict.Solo{}, matrix{x})
		if err != nil {
			t.Fatal(err)
		}
		if b.Rows < float64(n) || b.Rows > 2*float64(n) {
			t.Fatalf("%d rows are bounded by %g", n, b.Rows)
		}
		for j, got := range b.RMS {
			rms := mat.Norm(x.ColView(j), 2) / math.Sqrt(float64(n))
			if rms > got*(1+1e-12) || rms > 1e-50 && got > 2*rms*(1+1e-12) {
				t.Fatalf("a root mean square of %g is bounded by %g", rms, got)
			}
		}
	})
}

func TestAppendBlockMergesEqualNeighbours(t *testing.T) {
	blocks := AppendBlock(AppendBlock(AppendBlock(nil, 2, 8), 3, 8), 1, 4)
	if len(blocks) != 2 || blocks[0].Len != 5 || blocks[1].Len != 1 || blocks[1].Bound < 4 {
		t.Errorf("got %v", blocks)
	}
}
