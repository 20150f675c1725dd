package latent_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/networks/multitask"
	"github.com/collabdict/collabdict/internal/numeric/latent"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// example returns a model of three columns, along the given number of principal axes, or without
// axes for 0.
func example(axes int) *model.Model {
	m := &model.Model{
		Manifest: model.Manifest{Columns: []string{"a", "b", "c"}, Threshold: 1},
		Scaling:  rows.Scaling{Shift: []float64{10, 20, -1}, Scale: []float64{2, 0.5, 1}},
	}
	dim := 3
	if axes > 0 {
		dim = axes
		m.Projection = &rows.Projection{Mean: make([]float64, 3), Axes: mat.NewDense(axes, 3, []float64{0.6, 0.8, 0, 0, 0, 1}), Variances: make([]float64, axes)}
	}
	m.Learned = multitask.Trained{Model: multitask.NewModel(dim, multitask.Config{Latent: 2, Hidden: []int{4}, Seed: 3})}
	return m
}

func exampleRows(n int) *mat.Dense {
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		x.SetRow(i, []float64{10 + float64(i%7), 20 + math.Sin(float64(i)), -1 - float64(i%5)})
	}
	return x
}

// At reads rows in blocks, and returns what the model computes from all rows at once. Its figures
// are of columns, also for a model along axes.
func TestAt(t *testing.T) {
	for _, axes := range []int{0, 2} {
		m, x := example(axes), exampleRows(600)
		v, err := latent.At(m, rows.InMemory(x))
		if err != nil {
			t.Fatal(err)
		}
		coder := m.Learned.(algorithm.Coder)
		codes, err := coder.Encode(m.Trained(mat.DenseCopyOf(x)))
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := coder.Decode(codes)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(v.Codes, codes) || v.Rows != 600 || v.Of != 600 {
			t.Errorf("%d axes: other codes, of %d rows of %d", axes, v.Rows, v.Of)
		}
		for j, got := range v.Variances {
			near(t, "variance of codes", got, stat.PopVariance(mat.Col(nil, j, codes), nil))
		}
		want, back := map[string]report.ReconstructedColumn{}, m.InUnits(decoded)
		lost, first := 0.0, 0.0
		for j, name := range m.Manifest.Columns {
			c, scale := report.ReconstructedColumn{Name: name}, m.Scaling.Scale[j]
			for i := range 600 {
				d := (x.At(i, j) - back.At(i, j)) / scale
				c.SquaredError += d * d / 600
				if i == 0 {
					first += d * d
				}
			}
			c.Variance = stat.PopVariance(mat.Col(nil, j, x), nil) / scale / scale
			want[name], lost = c, lost+c.SquaredError
		}
		for i, got := range v.Columns {
			near(t, got.Name+": error", got.SquaredError, want[got.Name].SquaredError)
			near(t, got.Name+": variance", got.Variance, want[got.Name].Variance)
			if i > 0 && got.SquaredError > v.Columns[i-1].SquaredError {
				t.Errorf("columns are not by falling error: %v", v.Columns)
			}
		}
		near(t, "error of a row", v.SquaredError, lost)
		near(t, "error of the first row", v.Lost[0], first)
		some, again, err := latent.Decoded(m, rows.InMemory(x), []int{599, 0})
		if err != nil || some.At(0, 1) != x.At(599, 1) || again.At(1, 2) != back.At(0, 2) {
			t.Errorf("rows that are named are others (%v)", err)
		}
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: got %g, want %g", what, got, want)
	}
}

// A single row, and rows that are all equal, have no variance.
func TestAtWithoutVariance(t *testing.T) {
	m := example(0)
	for _, n := range []int{1, 300} {
		x := mat.NewDense(n, 3, nil)
		for i := range n {
			x.SetRow(i, []float64{1, 1e9, 1})
		}
		v, err := latent.At(m, rows.InMemory(x))
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range v.Columns {
			if c.Variance != 0 || !(c.SquaredError > 0) || math.IsInf(c.SquaredError, 1) || i < 2 && v.Variances[i] != 0 {
				t.Errorf("%d rows: %+v, variances %v", n, c, v.Variances)
			}
		}
		if v.Active()[0] != 0 {
			t.Errorf("%d rows: active %v", n, v.Active())
		}
	}
}

// At selects Most of many rows, evenly from the first to about the last. Scores are those of the
// selected rows.
func TestRowsAreChosenEvenly(t *testing.T) {
	m, x := example(0), exampleRows(3*latent.Most-1)
	v, err := latent.At(m, rows.InMemory(x))
	if err != nil {
		t.Fatal(err)
	}
	if v.Rows != latent.Most || v.Of != 3*latent.Most-1 || v.Places[0] != 0 || v.Places[latent.Most-1] < 3*latent.Most-4 {
		t.Errorf("%d of %d rows, from %d to %d", v.Rows, v.Of, v.Places[0], v.Places[v.Rows-1])
	}
	for i, at := range v.Places[1:] {
		if step := at - v.Places[i]; step != 2 && step != 3 {
			t.Fatalf("a step of %d rows", step)
		}
	}
	v.Places = v.Places[:300]
	scores, err := v.Scores(m, rows.InMemory(x))
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Scores(m.Trained(mat.DenseCopyOf(x.Slice(v.Places[299], v.Places[299]+1, 0, 3))))
	if err != nil || len(scores) != 300 || scores[299] != want[0] {
		t.Errorf("score %g, want %v (%v)", scores[299], want, err)
	}
}
