package pipeline

import (
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
	"github.com/collabdict/collabdict/model"
)

// Rows that stay in their file give the same model, threshold and figures as rows in memory, to the
// last bit.
func TestRowsOnDiskGiveTheSameModel(t *testing.T) {
	x := algorithmtest.Draw(9, 3000, []float64{3, -200, 0}, []float64{1, 40, 0.01})
	labels := make([]float64, 3000)
	for i := range 30 {
		labels[100*i] = 1
		x.Set(100*i, 1, 400)
	}
	path := filepath.Join(t.TempDir(), "site.csv")
	spec, err := dataset.Write(path, dataset.Participant{
		Name: "site", Columns: []string{"x", "y", "z"}, TestLabels: labels, TrainLabels: labels,
		Train: rows.InMemory(x), Test: rows.InMemory(x),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, standardise := range []string{"own", "global", "none"} {
		k := example(t, "standardise="+standardise)
		var models []*model.Model
		var figures []any
		for _, memory := range []int64{0, 1} {
			spec.Memory = memory
			d, err := dataset.LoadOne(spec)
			if err != nil {
				t.Fatal(err)
			}
			p := d.Participants[0]
			if _, held := p.Train.(rows.Matrix); held != (memory == 0) {
				t.Fatalf("memory %d: rows are %T", memory, p.Train)
			}
			r, err := k.Fit(t.Context(), collabdict.Solo{}, p, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			e, err := Evaluate(r.Model, p)
			if err != nil {
				t.Fatal(err)
			}
			models, figures = append(models, r.Model), append(figures, e)
		}
		a, b := values(models[0]), values(models[1])
		if !slices.Equal(a, b) {
			t.Errorf("%s: models are %v and %v", standardise, a, b)
		}
		if !reflect.DeepEqual(figures[0], figures[1]) {
			t.Errorf("%s: figures are %+v and %+v", standardise, figures[0], figures[1])
		}
	}
}

// values returns the bits of a model.
func values(m *model.Model) (out []uint64) {
	add := func(v ...float64) {
		for _, x := range v {
			out = append(out, math.Float64bits(x))
		}
	}
	add(m.Manifest.Threshold)
	add(m.Scaling.Shift...)
	add(m.Scaling.Scale...)
	if p := m.Projection; p != nil {
		add(p.Mean...)
		add(p.Axes.RawMatrix().Data...)
	}
	for _, a := range m.Learned.Arrays() {
		add(a.Values...)
	}
	return out
}
