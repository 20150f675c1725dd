package rows_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// TestStagesInAnyOrder checks that rows pass stages in the order in which they are added: the same
// rows come out if each stage's rows are put in memory before the next.
func TestStagesInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "rows")
		values := rapid.SliceOfN(rapid.Float64Range(-9, 9), 2*n, 2*n).Draw(t, "values")
		x := rows.InMemory(mat.NewDense(n, 2, values))
		want := x
		for range rapid.IntRange(1, 6).Draw(t, "stages") {
			add := drawStage(t, x)
			held, err := rows.Dense(add(want))
			if err != nil {
				t.Fatal(err)
			}
			x, want = add(x), rows.InMemory(held)
		}
		got, err := rows.Dense(x)
		if err != nil || !mat.Equal(got, want.(rows.Matrix)) {
			t.Fatalf("got %v, %v, want %v", got, err, want)
		}
	})
}

// drawStage returns a function that adds a stage to rows with the shape of x.
func drawStage(t *rapid.T, x collabdict.Rows) func(collabdict.Rows) collabdict.Rows {
	n, m := x.Dims()
	switch rapid.SampledFrom([]string{"window", "some", "others", "scale", "fill", "project"}).Draw(t, "stage") {
	case "window":
		if m > 20 {
			break
		}
		w := rapid.IntRange(1, 5).Draw(t, "window")
		return func(x collabdict.Rows) collabdict.Rows { return rows.Windowed(x, w, nil, false) }
	case "some":
		index := rows.Drawn(n, rapid.IntRange(1, n).Draw(t, "kept"), 1)
		return func(x collabdict.Rows) collabdict.Rows { return rows.Subset(x, index) }
	case "others":
		index := rows.Drawn(n, rapid.IntRange(0, n-1).Draw(t, "left out"), 2)
		return func(x collabdict.Rows) collabdict.Rows { return rows.Without(x, index) }
	case "fill":
		return func(x collabdict.Rows) collabdict.Rows {
			return rows.Filled(x, func(cells []float64) {
				for i := range cells {
					cells[i] = max(cells[i], 0)
				}
			})
		}
	case "project":
		axes := mat.NewDense(2, m, nil)
		for j := range m {
			axes.Set(j%2, j, float64(j)+0.5)
		}
		p := &rows.Projection{Mean: make([]float64, m), Axes: axes}
		return p.Rows
	}
	s := rows.Unscaled(m)
	for j := range m {
		s.Shift[j], s.Scale[j] = float64(j), 3
	}
	return s.Rows
}
