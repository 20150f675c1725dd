package ggm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/columnstats"
	"github.com/collabdict/collabdict/internal/gmmtest"
)

// A learner that is told what is known of its rows comes to the same start as one
// that asks, by two collectives less.
func TestCommonSavesTheFirstSums(t *testing.T) {
	x := gmmtest.Patterns(400, 3, 4, 3)
	scale := []float64{4, 0.5, 2}
	wide := mat.DenseCopyOf(x)
	wide.Apply(func(_, j int, v float64) float64 { return v * scale[j] }, wide)
	b, err := columnstats.Agree(t.Context(), collabdict.Solo{}, gmm.Matrix(wide))
	if err != nil {
		t.Fatal(err)
	}
	known, err := SumMoments(t.Context(), collabdict.Solo{}, gmm.Matrix(wide), b)
	if err != nil {
		t.Fatal(err)
	}
	var starts []*Learner
	for _, common := range []*Common{nil, known.Scaled(scale)} {
		l, _ := NewLearner(gmm.Matrix(x), Config{Components: 4, Common: common})
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
	l, _ := NewLearner(gmm.Matrix(x), Config{Components: 4, Common: known.Scaled(scale), Init: &gmm.Parameters{
		Weights: given.Weights(), Means: given.Means(), Precisions: []*mat.SymDense{given.Precision(0), given.Precision(1), given.Precision(2), given.Precision(3)},
	}})
	if err := l.Start(t.Context(), collabdict.Solo{}); err != nil || l.SetupSums() != 0 || l.TotalRows() != 400 {
		t.Errorf("a given start: %v, %d collectives, %d rows", err, l.SetupSums(), l.TotalRows())
	}
}

// The rows told are those of the participants in the last total, which may not be
// those of the start.
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

// Sums over many columns are those that each lane makes of few.
func TestProductsOfManyColumns(t *testing.T) {
	const n, dim = 700, manyColumns + 3
	rng := rand.New(rand.NewPCG(4, 4))
	x := mat.NewDense(n, dim, nil)
	x.Apply(func(_, j int, _ float64) float64 { return float64(j%5) + rng.NormFloat64() }, x)
	got, err := SumMoments(t.Context(), collabdict.Solo{}, gmm.Matrix(x), Bounds{Rows: 1024, RMS: slices.Repeat([]float64{8}, dim)})
	if err != nil {
		t.Fatal(err)
	}
	var want mat.Dense
	want.Mul(x.T(), x)
	covariance := got.Covariance()
	for i := range dim {
		gmmtest.Near(t, "sum", got.sums.First[i], mat.Sum(x.ColView(i)), 1e-9)
		for j := range dim {
			gmmtest.Near(t, "product", covariance[i*dim+j], want.At(i, j)/n, 1e-9)
		}
	}
	if got.Rows() != n {
		t.Errorf("%g rows, want %d", got.Rows(), n)
	}
}
