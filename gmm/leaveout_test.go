package gmm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
)

// gaussian returns the Gaussian that follows from rows and priors, with prior mean 0 and prior
// covariance matrix 1.
func gaussian(t *testing.T, x *mat.Dense, fit gmm.FittedTo) *gmm.Mixture {
	t.Helper()
	n, dim := x.Dims()
	mean := mat.NewDense(1, dim, nil)
	for i := range n {
		floats.Add(mean.RawRowView(0), x.RawRowView(i))
	}
	mean.Scale(1/(float64(n)+fit.Mean), mean)
	covariance := mat.NewSymDense(dim, nil)
	for i := range n {
		covariance.SymRankOne(covariance, 1, mat.NewVecDense(dim, x.RawRowView(i)))
	}
	covariance.SymRankOne(covariance, -float64(n)-fit.Mean, mat.NewVecDense(dim, mean.RawRowView(0)))
	for i := range dim {
		covariance.SetSym(i, i, covariance.At(i, i)+fit.Covariance)
	}
	covariance.ScaleSym(1/(float64(n)+fit.Covariance), covariance)
	var c mat.Cholesky
	precision := mat.NewSymDense(dim, nil)
	if !c.Factorize(covariance) || c.InverseTo(precision) != nil {
		t.Fatal("the covariance matrix is singular")
	}
	m, err := gmm.NewMixture([]float64{1}, mean, []*mat.SymDense{precision})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func without(x *mat.Dense, row int) *mat.Dense {
	n, dim := x.Dims()
	out := mat.NewDense(n-1, dim, nil)
	for i := range n - 1 {
		from := i
		if i >= row {
			from++
		}
		out.SetRow(i, x.RawRowView(from))
	}
	return out
}

func leftOut(t *testing.T, m *gmm.Mixture, x *mat.Dense, fit gmm.FittedTo) []float64 {
	t.Helper()
	n, _ := x.Dims()
	got := make([]float64, n)
	if err := m.EachLeftOut(gmm.Matrix(x), fit, func(from int, scores []float64) { copy(got[from:], scores) }); err != nil {
		t.Fatal(err)
	}
	return got
}

// The closed form equals a fit to all other rows.
func TestLeftOutIsARefit(t *testing.T) {
	const n, dim = 23, 4
	rng := rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(n, dim, nil)
	for i := range n {
		for j := range dim {
			x.Set(i, j, 1+float64(j+1)*rng.NormFloat64())
		}
		x.Set(i, 1, x.At(i, 0)+0.2*x.At(i, 1))
	}
	for name, fit := range map[string]gmm.FittedTo{
		"rows alone": {Counts: []float64{n}, Own: n},
		"priors":     {Counts: []float64{n}, Own: n, Mean: 1, Covariance: 20},
	} {
		got := leftOut(t, gaussian(t, x, fit), x, fit)
		for i := range n {
			want := -gaussian(t, without(x, i), fit).LogDensity(x.RawRowView(i))
			if math.Abs(got[i]-want) > 1e-10*math.Abs(want) {
				t.Errorf("%s: row %d: %.15g left out, %.15g by a refit", name, i, got[i], want)
			}
		}
	}
}

// The only row of a component is not explained by that component when the row is left out.
func TestLeftOutOfAComponentOfOneRow(t *testing.T) {
	m, err := gmm.NewMixture([]float64{0.9, 0.1}, mat.NewDense(2, 1, []float64{0, 50}), []*mat.SymDense{mat.NewSymDense(1, []float64{1}), mat.NewSymDense(1, []float64{1})})
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(10, 1, []float64{-1, 1, 0.3, 0.2, -0.4, 0, 0.9, -0.7, -0.5, 50})
	got := leftOut(t, m, x, gmm.FittedTo{Counts: []float64{9, 1}, Own: 10, Mean: 1, Covariance: 20})
	if in := m.Score([]float64{50}); !(in < 5) || !(got[9] > 100) {
		t.Errorf("the row scores %g, and %g left out", in, got[9])
	}
	for i, v := range got[:9] {
		if math.IsNaN(v) || v > 5 {
			t.Errorf("row %d scores %g left out", i, v)
		}
	}
}
