package rows_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// counting counts how often rows are read.
type counting struct {
	collabdict.Rows
	reads *int
}

func (c counting) ReadRows(x []float64, from int) error {
	*c.reads++
	return c.Rows.ReadRows(x, from)
}

func numbered(n int) *mat.Dense {
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{float64(i), float64(-i)})
	}
	return x
}

// A subset has exactly the chosen rows, wherever reading begins.
func TestSubset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3*rows.PerBlock).Draw(t, "n")
		step := rapid.IntRange(1, 20).Draw(t, "step")
		var index []int
		for at := rapid.IntRange(0, n-1).Draw(t, "first"); at < n; at += rapid.IntRange(1, step).Draw(t, "by") {
			index = append(index, at)
			if len(index) > 500 { // then a stretch without a gap
				for at++; at < n; at++ {
					index = append(index, at)
				}
			}
		}
		reads := 0
		of := counting{rows.InMemory(numbered(n)), &reads}
		chosen := rows.Subset(of, index)
		if count, width := chosen.Dims(); count != len(index) || width != 2 {
			t.Fatalf("%d by %d, want %d by 2", count, width, len(index))
		}
		from := rapid.IntRange(0, len(index)-1).Draw(t, "from")
		x := make([]float64, 2*rapid.IntRange(0, len(index)-from).Draw(t, "rows"))
		if err := chosen.ReadRows(x, from); err != nil {
			t.Fatal(err)
		}
		for i := range len(x) / 2 {
			if want := float64(index[from+i]); x[2*i] != want || x[2*i+1] != -want {
				t.Fatalf("row %d: %v, want row %g", from+i, x[2*i:2*i+2], want)
			}
		}
	})
}

// Rows with few others between them are read at once, by Subset and by Without.
func TestSubsetsAreReadInLargePieces(t *testing.T) {
	var out []int
	for i := 3; i < 1000; i += 5 {
		out = append(out, i)
	}
	for name, c := range map[string]struct {
		of   func(collabdict.Rows) collabdict.Rows
		want float64
	}{
		"left":     {func(of collabdict.Rows) collabdict.Rows { return rows.Without(of, out) }, 0},
		"left out": {func(of collabdict.Rows) collabdict.Rows { return rows.Subset(of, out) }, 3},
	} {
		reads := 0
		some := c.of(counting{rows.InMemory(numbered(1000)), &reads})
		n, _ := some.Dims()
		x := make([]float64, 2*n)
		if err := some.ReadRows(x, 0); err != nil || reads != 1 || x[0] != c.want || !slices.IsSortedFunc(slices.Collect(slices.Chunk(x, 2)), func(a, b []float64) int { return int(a[0] - b[0]) }) {
			t.Errorf("%s: %d reads, the first value is %g, %v", name, reads, x[0], err)
		}
	}
}

// Drawn numbers are distinct, spread over all, and determined by the seed, whether they come from a
// permutation or not.
func TestDrawn(t *testing.T) {
	for _, n := range []int{500_000, 500_001} {
		got := rows.Drawn(n, 1000, 1)
		if len(got) != 1000 || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != 1000 || got[0] < 0 || got[999] >= n {
			t.Errorf("of %d: %d numbers from %d to %d", n, len(got), got[0], got[len(got)-1])
		}
		sum := 0
		for _, i := range got {
			sum += i
		}
		// The mean of 1000 has the standard deviation n/√12000.
		if off := math.Abs(float64(sum)/1000-float64(n)/2) / (float64(n) / math.Sqrt(12_000)); off > 4 {
			t.Errorf("of %d: the mean of what is drawn is off by %.1f standard deviations", n, off)
		}
		if !slices.Equal(got, rows.Drawn(n, 1000, 1)) || slices.Equal(got, rows.Drawn(n, 1000, 2)) {
			t.Errorf("of %d: the seed does not draw them", n)
		}
	}
	if all := rows.Drawn(500_001, 500_001, 1); all[0] != 0 || all[500_000] != 500_000 {
		t.Error("of all, some are missing")
	}
}

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
