package rows_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

func TestWindowed(t *testing.T) {
	x := rows.InMemory(mat.NewDense(6, 1, []float64{1, 3, 5, 10, 10, 4}))
	want := []float64{
		1, 1, 0,
		3, 2, 1,
		5, 3, math.Sqrt(8.0 / 3),
		10, 10, 0, // a window begins
		10, 10, 0,
		4, 8, math.Sqrt(8),
	}
	got, err := rows.Dense(rows.Windowed(x, 3, []int{0, 3}, false))
	if err != nil || !mat.EqualApprox(got, mat.NewDense(6, 3, want), 1e-15) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// A constant column has deviation 0 exactly. Rounding errors would be scaled up.
func TestWindowOfAConstantColumn(t *testing.T) {
	values := slices.Repeat([]float64{0.1, 1e9 + 0.3}, 50)
	err := lanes.EachRow(rows.Windowed(rows.InMemory(mat.NewDense(50, 2, values)), 7, nil, false), func(row []float64) {
		if want := []float64{0.1, 1e9 + 0.3, 0.1, 1e9 + 0.3, 0, 0}; !slices.Equal(row, want) {
			t.Fatalf("got %v, want %v", row, want)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// Windowed rows have the same bits whether they are read in blocks, again, or one by one.
func TestWindowsDoNotDependOnBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m, w := rapid.IntRange(1, 700).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "columns"), rapid.IntRange(2, 30).Draw(t, "window")
		begins := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, 5, rapid.ID[int]).Draw(t, "begins")
		slices.Sort(begins)
		x := mat.NewDense(n, m, nil)
		values := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 8, 8).Draw(t, "values")
		for i := range n {
			for j := range m {
				x.Set(i, j, values[(i*i+3*j)%len(values)])
			}
		}
		var want [][]float64
		roll := rows.NewRoll(w, m, false)
		for i := range n {
			if slices.Contains(begins, i) {
				roll.Restart()
			}
			want = append(want, slices.Clone(roll.Add(nil, x.RawRowView(i))))
		}
		of := rows.Windowed(rows.InMemory(x), w, begins, false)
		for at := 0; at < n; {
			if rapid.IntRange(0, 3).Draw(t, "jump") == 0 {
				at = rapid.IntRange(0, n-1).Draw(t, "to")
			}
			count := rapid.IntRange(1, min(n-at, 400)).Draw(t, "count")
			got := make([]float64, count*3*m)
			if err := of.ReadRows(got, at); err != nil {
				t.Fatal(err)
			}
			for i := range count {
				if row := got[i*3*m : (i+1)*3*m]; !slices.Equal(row, want[at+i]) {
					t.Fatalf("row %d: got %v, want %v", at+i, row, want[at+i])
				}
			}
			at += count
		}
	})
}

// A window over a column with missing cells uses the cells present.
func TestWindowsOverMissingCells(t *testing.T) {
	nan := math.NaN()
	x := rows.InMemory(mat.NewDense(5, 2, []float64{nan, 1, 2, 2, 6, 3, nan, 4, nan, 5}))
	want := [][2]float64{{nan, nan}, {2, 0}, {4, 2}, {4, 2}, {6, 0}}
	at := 0
	err := lanes.EachRow(rows.Windowed(x, 3, nil, false), func(row []float64) {
		for i, v := range []float64{row[2], row[4]} {
			if w := want[at][i]; v != w && !(math.IsNaN(v) && math.IsNaN(w)) {
				t.Errorf("row %d: got %v, want %v", at, row, want[at])
			}
		}
		if math.IsNaN(row[3] + row[5]) {
			t.Errorf("row %d: the other column is %g, %g", at, row[3], row[5])
		}
		at++
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWindowColumns(t *testing.T) {
	data := []string{"temp", "flow"}
	all := rows.WindowColumns(data, 20)
	want := []string{"temp", "flow", "temp (mean of 20)", "flow (mean of 20)", "temp (deviation of 20)", "flow (deviation of 20)"}
	if !slices.Equal(all, want) || !slices.Equal(rows.DataColumns(all, 20), data) || !reflect.DeepEqual(rows.WindowColumns(data, 0), data) {
		t.Errorf("got %v, want %v", all, want)
	}
}
