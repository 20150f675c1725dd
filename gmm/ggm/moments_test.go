package ggm

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/columnstats"
	"github.com/collabdict/collabdict/internal/gmmtest"
)

// A learner that already knows the moments of its rows finds the same start as one that asks
// for them, with two collectives fewer.
func TestKnownMomentsSaveTheFirstSums(t *testing.T) {
	x := gmmtest.Patterns(400, 3, 4, 3)
	scale := []float64{4, 0.5, 2}
	wide := mat.DenseCopyOf(x)
	wide.Apply(func(_, j int, v float64) float64 { return v * scale[j] }, wide)
	b, err := columnstats.Agree(t.Context(), collabdict.Solo{}, gmm.Matrix(wide))
	if err != nil {
		t.Fatal(err)
	}
	known, err := columnstats.SumMoments(t.Context(), collabdict.Solo{}, gmm.Matrix(wide), b)
	if err != nil {
		t.Fatal(err)
	}
	var starts []*Learner
	for _, moments := range []*columnstats.Moments{nil, known.Scaled(scale)} {
		l, _ := NewLearner(gmm.Matrix(x), Config{Components: 4, Moments: moments})
		if err := l.Start(t.Context(), collabdict.Solo{}); err != nil {
			t.Fatal(err)
		}
		starts = append(starts, l)
	}
	asked, told := starts[0], starts[1]
	if told.SetupSums() != asked.SetupSums()-2 || told.TotalRows() != 400 {
		t.Errorf("%d collectives and %d rows, want %d and 400", told.SetupSums(), told.TotalRows(), asked.SetupSums()-2)
	}
	want := flat(asked.Model())
	for i, v := range flat(told.Model()) {
		gmmtest.Near(t, "parameter", v, want[i], 1e-9)
	}
	given := asked.Model()
	l, _ := NewLearner(gmm.Matrix(x), Config{Components: 4, Moments: known.Scaled(scale), Init: &gmm.Parameters{
		Weights: given.Weights(), Means: given.Means(), Precisions: []*mat.SymDense{given.Precision(0), given.Precision(1), given.Precision(2), given.Precision(3)},
	}})
	if err := l.Start(t.Context(), collabdict.Solo{}); err != nil || l.SetupSums() != 0 || l.TotalRows() != 400 {
		t.Errorf("a given start: %v, %d collectives, %d rows", err, l.SetupSums(), l.TotalRows())
	}
}

// TotalRows counts the rows of the participants in the last total, which may differ from those of
// the start.
func TestTotalRowsAreThoseOfTheLastTotal(t *testing.T) {
	x := mat.NewDense(6, 1, []float64{0, 1, 2, 10, 11, 12})
	l, err := NewLearner(gmm.Matrix(x), Config{Components: 2})
	if err == nil {
		err = l.Start(t.Context(), collabdict.Solo{})
	}
	if err != nil {
		t.Fatal(err)
	}
	total, _, err := l.LocalUpdate()
	if err != nil {
		t.Fatal(err)
	}
	for i := range total {
		total[i] *= 3 // two more participants with the same rows
	}
	if _, err := l.Optimize(total, true); err != nil || l.TotalRows() != 18 {
		t.Errorf("%d rows, %v, want 18", l.TotalRows(), err)
	}
}
