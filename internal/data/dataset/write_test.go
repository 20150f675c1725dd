package dataset

import (
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// Rows that are written can be read again unchanged, with or without labels and test rows.
func TestWhatIsWrittenIsRead(t *testing.T) {
	train := rows.InMemory(mat.NewDense(3, 2, []float64{1, -2.5, 1e-300, 3, 1e60, 1.0 / 3}))
	test := rows.InMemory(mat.NewDense(2, 2, []float64{5, 6, 7, 8}))
	plain := []string{"x", "y"}
	for name, p := range map[string]Participant{
		"labels and test rows":    {Columns: plain, Train: train, Test: test, TrainLabels: []float64{0, -1, 0}, TestLabels: []float64{1, 0}},
		"no labels":               {Columns: plain, Train: train, Test: test},
		"tested on training rows": {Columns: plain, Train: train, Test: train, TrainLabels: []float64{0, 1, 0}, TestLabels: []float64{0, 1, 0}},
		"neither":                 {Columns: plain, Train: train, Test: train},
		"no test rows":            {Columns: plain, Train: train},
		"awkward columns":         {Columns: []string{"label", "a \"b\", c"}, Train: train, Test: test, TrainLabels: []float64{0, 0, 0}, TestLabels: []float64{1, 0}},
	} {
		p.Name = "site"
		path := filepath.Join(t.TempDir(), "rows.csv")
		spec, err := Write(path, p)
		if err != nil {
			t.Fatal(name, err)
		}
		d, err := LoadOne(spec)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := d.Participants[0]
		if got.Name != "site" || !same(got.Train, train) {
			t.Errorf("%s: training rows %v", name, got.Train)
		}
		if p.Test != nil && !same(got.Test, p.Test) {
			t.Errorf("%s: test rows %v", name, got.Test)
		}
		for i, l := range p.TestLabels {
			if got.TestLabels[i] != l {
				t.Errorf("%s: labels %v, want %v", name, got.TestLabels, p.TestLabels)
			}
		}
	}
}

func same(a, b collabdict.Rows) bool { return mat.Equal(a.(rows.Matrix), b.(rows.Matrix)) }
