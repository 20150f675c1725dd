package gmm

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/testkit"
)

var none = math.NaN()

// ofThree returns a mixture of three components of three variables.
func ofThree(t *testing.T, form Covariance) *Mixture {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 7))
	weights, means := []float64{0.5, 0.3, 0.2}, mat.NewDense(3, 3, nil)
	diagonals := mat.NewDense(3, 3, nil)
	var precisions []*mat.SymDense
	for k := range 3 {
		var a mat.Dense
		b := mat.NewDense(3, 5, nil)
		for i := range 3 {
			means.Set(k, i, 2*rng.NormFloat64())
			diagonals.Set(k, i, 0.5+rng.Float64())
			for j := range 5 {
				b.Set(i, j, rng.NormFloat64())
			}
		}
		a.Mul(b, b.T())
		p := mat.NewSymDense(3, nil)
		for i := range 3 {
			for j := i; j < 3; j++ {
				p.SetSym(i, j, a.At(i, j)/3)
			}
		}
		precisions = append(precisions, p)
	}
	m, err := NewMixture(weights, means, precisions)
	if form == Diag {
		m, err = NewDiagMixture(Diag, weights, means, diagonals)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// integral returns ∫ f over one variable.
func integral(f func(x float64) float64) (sum float64) {
	const step = 0.01
	for x := -25.0; x < 25; x += step {
		sum += step * f(x)
	}
	return sum
}

// The density of the present cells is the integral over all values of the missing ones. The
// expected values of missing cells are integrals, too.
func TestMissingCellsAreIntegratedOut(t *testing.T) {
	testkit.SkipRaced(t)
	for _, form := range []Covariance{Full, Diag} {
		m := ofThree(t, form)
		x := []float64{0.7, none, -1.1}
		with := func(v float64) float64 { return m.LogDensity([]float64{x[0], v, x[2]}) }
		density := integral(func(v float64) float64 { return math.Exp(with(v)) })
		if got := m.LogDensity(x); math.Abs(got-math.Log(density)) > 1e-9 {
			t.Errorf("%v: ln p %.12g, want %.12g", form, got, math.Log(density))
		}
		mean := integral(func(v float64) float64 { return v * math.Exp(with(v)) }) / density
		whole, err := m.Complete(mat.NewDense(1, 3, x))
		if err != nil || math.Abs(whole.At(0, 1)-mean) > 1e-9 || whole.At(0, 0) != x[0] {
			t.Errorf("%v: completed to %v, want %g; %v", form, whole.RawRowView(0), mean, err)
		}
		surprise := integral(func(v float64) float64 { return -with(v) * math.Exp(with(v)) }) / density
		entropy := 0.0
		for _, r := range m.Responsibilities(mat.NewDense(1, 3, x)).RawRowView(0) {
			entropy -= r * math.Log(r)
		}
		if got := scoresOf(t, m, x)[0]; got < surprise-1e-9 || got > surprise+entropy+1e-9 {
			t.Errorf("%v: surprise %g, want %g, or up to %g more", form, got, surprise, entropy)
		}
		two := []float64{none, none, 0.3}
		density = integral(func(a float64) float64 { return math.Exp(m.LogDensity([]float64{a, none, 0.3})) })
		if got := m.LogDensity(two); math.Abs(got-math.Log(density)) > 1e-9 {
			t.Errorf("%v: two missing: ln p %.12g, want %.12g", form, got, math.Log(density))
		}
		if got := m.LogDensity([]float64{none, none, none}); math.Abs(got) > 1e-9 {
			t.Errorf("%v: all missing: ln p %g, want 0", form, got)
		}
	}
}

func scoresOf(t *testing.T, m interface {
	EachScores(rows Rows, f func(from int, scores []float64)) error
}, rows ...[]float64,
) []float64 {
	t.Helper()
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		x.SetRow(i, row)
	}
	out := make([]float64, len(rows))
	if err := m.EachScores(Matrix(x), func(from int, scores []float64) { copy(out[from:], scores) }); err != nil {
		t.Fatal(err)
	}
	return out
}

// With one component the score is −ln p(x_o) plus the entropy of the rest: the mean score of
// all rows that have these values.
func TestSurpriseOfOneComponent(t *testing.T) {
	p := mat.NewSymDense(2, []float64{2, -0.8, -0.8, 1.5})
	m, err := NewMixture([]float64{1}, mat.NewDense(1, 2, []float64{1, -1}), []*mat.SymDense{p})
	if err != nil {
		t.Fatal(err)
	}
	scores := scoresOf(t, m, []float64{0.4, none}, []float64{none, none})
	want := -m.LogDensity([]float64{0.4, none}) + 0.5*math.Log(2*math.Pi*math.E/1.5)
	if math.Abs(scores[0]-want) > 1e-12 {
		t.Errorf("one missing: %g, want %g", scores[0], want)
	}
	entropy := math.Log(2*math.Pi*math.E) - 0.5*math.Log(2*1.5-0.64)
	if math.Abs(scores[1]-entropy) > 1e-12 {
		t.Errorf("all missing: %g, want %g", scores[1], entropy)
	}
	if e := scoresOf(t, Expected{m}, []float64{0.4, none}); math.Abs(e[0]-want) > 1e-12 {
		t.Errorf("expected score: %g, want %g", e[0], want)
	}
}

// The scores of complete rows have the same bits whether or not other rows have missing cells.
func TestWholeRowsKeepTheirScores(t *testing.T) {
	m := ofThree(t, Full)
	rng := rand.New(rand.NewPCG(3, 3))
	const n = 300
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		for j := range 3 {
			x.Set(i, j, 3*rng.NormFloat64())
		}
	}
	holes := mat.DenseCopyOf(x)
	for i := 0; i < n; i += 3 {
		holes.Set(i, i%2, none)
	}
	fit := FittedTo{Counts: []float64{50, 30, 20}, Own: 100, Mean: 1, Covariance: 20}
	left := func(rows *mat.Dense) []float64 {
		out := make([]float64, n)
		if err := m.EachLeftOut(Matrix(rows), fit, func(from int, scores []float64) { copy(out[from:], scores) }); err != nil {
			t.Fatal(err)
		}
		return out
	}
	for name, of := range map[string]func(*mat.Dense) []float64{
		"scores": func(z *mat.Dense) []float64 { return m.Scores(nil, z) }, "densities": func(z *mat.Dense) []float64 { return m.LogDensities(nil, z) }, "left out": left,
	} {
		want, got := of(x), of(holes)
		for i := range n {
			if i%3 != 0 && got[i] != want[i] || math.IsNaN(got[i]) || math.IsInf(got[i], 0) {
				t.Fatalf("%s: row %d: %g, want %g", name, i, got[i], want[i])
			}
		}
	}
}

// For complete rows, PartialStatistics returns the statistics of the ordinary pass.
func TestPartialStatisticsOfWholeRows(t *testing.T) {
	m := ofThree(t, Full)
	rng := rand.New(rand.NewPCG(5, 5))
	x := mat.NewDense(700, 3, nil)
	for i := range 700 {
		for j := range 3 {
			x.Set(i, j, 2*rng.NormFloat64())
		}
	}
	tilts := []float64{-0.1, -0.4, 0}
	want, wantDiversity, err := m.evaluator().Statistics(passes.NewReader(Matrix(x)), nil, nil, tilts, true)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.evaluator().PartialStatistics(passes.NewReader(Matrix(x)), tilts, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, diversity, err := m.evaluator().Statistics(nil, p, nil, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	a, b := want.Pack(), got.Pack()
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-9*math.Max(1, math.Abs(a[i])) {
			t.Errorf("value %d: %g, want %g", i, b[i], a[i])
		}
	}
	for _, d := range [][2]float64{{want.Entropy, got.Entropy}, {want.LogLik, got.LogLik}, {wantDiversity.Min, diversity.Min}, {wantDiversity.Max, diversity.Max}, {wantDiversity.MinResponsibility, diversity.MinResponsibility}} {
		if math.Abs(d[0]-d[1]) > 1e-9*math.Abs(d[0]) {
			t.Errorf("got %g, want %g", d[1], d[0])
		}
	}
}

// A missing cell contributes nothing to the score. The cells present explain the others.
func TestExplainMissingCells(t *testing.T) {
	m := ofThree(t, Full)
	x := []float64{2.5, none, -1.1}
	e, err := m.Explain(mat.NewDense(1, 3, x))
	if err != nil {
		t.Fatal(err)
	}
	whole, _ := m.Complete(mat.NewDense(1, 3, x))
	if e.Parts.At(0, 1) != 0 || math.Abs(e.Expected.At(0, 1)-whole.At(0, 1)) > 1e-12 {
		t.Errorf("the missing cell: part %g, expected %g", e.Parts.At(0, 1), e.Expected.At(0, 1))
	}
	density := func(v float64) float64 { return math.Exp(m.LogDensity([]float64{v, none, x[2]})) }
	mean := integral(func(v float64) float64 { return v * density(v) }) / integral(density)
	if got := e.Expected.At(0, 0); math.Abs(got-mean) > 1e-9 {
		t.Errorf("expected %g, want %g", got, mean)
	}
	all, err := m.Explain(mat.NewDense(1, 3, []float64{none, none, none}))
	if err != nil || mat.Sum(all.Parts) != 0 || math.IsNaN(mat.Sum(all.Expected)) {
		t.Errorf("all missing: %v, %v", all, err)
	}
}
