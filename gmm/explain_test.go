package gmm

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/testkit"
)

// drawn draws a mixture of well-conditioned components, and a row.
func drawn(t *rapid.T, most int) (*Mixture, []float64) {
	k, dim := rapid.IntRange(1, most).Draw(t, "components"), rapid.IntRange(1, 5).Draw(t, "variables")
	value := rapid.Float64Range(-3, 3)
	means := mat.NewDense(k, dim, rapid.SliceOfN(value, k*dim, k*dim).Draw(t, "means"))
	weights := rapid.SliceOfN(rapid.Float64Range(0.01, 1), k, k).Draw(t, "weights")
	floats.Scale(1/floats.Sum(weights), weights)
	var precisions []*mat.SymDense
	for range k {
		root := mat.NewDense(dim, dim, rapid.SliceOfN(rapid.Float64Range(-1, 1), dim*dim, dim*dim).Draw(t, "root"))
		p := mat.NewSymDense(dim, nil)
		p.SymOuterK(1, root)
		for i := range dim {
			p.SetSym(i, i, p.At(i, i)+rapid.Float64Range(0.1, 2).Draw(t, "own"))
		}
		precisions = append(precisions, p)
	}
	m, err := NewMixture(weights, means, precisions)
	if err != nil {
		t.Fatal(err)
	}
	return m, rapid.SliceOfN(value, dim, dim).Draw(t, "row")
}

// conditional returns, from the marginal and conditional distributions of the components, ln
// π_k N(x without i) and the means of x_i given the others.
func conditional(t *rapid.T, m *Mixture, x []float64, i int) (logs, means []float64) {
	for k, w := range m.Weights() {
		d, ok := distmv.NewNormal(m.Means().RawRowView(k), m.Covariance(k), nil)
		if !ok {
			t.Fatal("covariance is not positive definite")
		}
		var others []int
		var values []float64
		for j, v := range x {
			if j != i {
				others, values = append(others, j), append(values, v)
			}
		}
		if len(others) == 0 {
			logs, means = append(logs, math.Log(w)), append(means, d.Mean(nil)[i])
			continue
		}
		marginal, ok := d.MarginalNormal(others, nil)
		given, okGiven := d.ConditionNormal(others, values, nil)
		if !ok || !okGiven {
			t.Fatal("no marginal or conditional distribution")
		}
		logs, means = append(logs, math.Log(w)+marginal.LogProb(values)), append(means, given.Mean(nil)[0])
	}
	return logs, means
}

// The explainer's values for the other variables are those of the marginal distributions, and
// its conditional mean is that of the mixture.
func TestWithoutAVariable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, x := drawn(t, 3)
		i := rapid.IntRange(0, len(x)-1).Draw(t, "i")
		logs, means := conditional(t, m, x, i)
		total, want := floats.LogSumExp(logs), 0.0
		for k, l := range logs {
			want += math.Exp(l-total) * means[k]
		}
		for _, v := range []float64{x[i], 1e4, -1e9, 1e200} {
			x[i] = v
			e, n := newExplainer(m.given(x), 1), len(x)
			parts, expected := make([]float64, n), make([]float64, n)
			e.take(m.row(x), []int{0})
			e.explain(0, parts, expected)
			for _, k := range e.near {
				testkit.Near(t, "log density of the others", e.without[k][i]+math.Log(e.width[k][i]*math.Sqrt(2*math.Pi)), logs[k], 1e-10)
			}
			testkit.Near(t, "conditional mean", expected[i], want, 1e-10)
			if !(parts[i] >= 0) || math.IsInf(parts[i], 1) {
				t.Fatalf("x_i = %g adds %g", v, parts[i])
			}
		}
	})
}

// No value of a variable raises the log density by more than its contribution. With one
// component, the predicted value raises it by exactly that.
func TestPartsBoundTheGainOfAVariable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, x := drawn(t, 3)
		i := rapid.IntRange(0, len(x)-1).Draw(t, "i")
		ex, err := m.Explain(m.row(x))
		if err != nil {
			t.Fatal(err)
		}
		part, y := ex.Parts.At(0, i), append([]float64(nil), x...)
		y[i] = ex.Expected.At(0, i)
		if m.Components() == 1 {
			testkit.Near(t, "rise of the log density", m.LogDensity(y)-m.LogDensity(x), part, 1e-10)
			testkit.Near(t, "fall of the score", m.Score(x)-m.Score(y), part, 1e-10)
		}
		y[i] += rapid.Float64Range(-4, 4).Draw(t, "off")
		if rise := m.LogDensity(y) - m.LogDensity(x); rise > part+1e-10 {
			t.Fatalf("variable %d raises the log density by %g, more than its part %g", i, rise, part)
		}
	})
}

// In a component that is wide in one variable, a fault there is not unusual. The other
// variables keep the row in the narrow component, so no other variable is blamed.
func TestAFaultDoesNotHideInAWideComponent(t *testing.T) {
	m, err := NewDiagMixture(Diag, []float64{.9, .1}, mat.NewDense(2, 3, []float64{1, 0, 2, 0, 0, 0}), mat.NewDense(2, 3, []float64{4, 4, 4, 1, .01, 1}))
	if err != nil {
		t.Fatal(err)
	}
	e, err := m.Explain(mat.NewDense(1, 3, []float64{1.2, 5, 2.1}))
	if err != nil {
		t.Fatal(err)
	}
	parts := e.Parts.RawRowView(0)
	if share := parts[1] / floats.Sum(parts); share < 0.75 {
		t.Errorf("contributions %.3f: the faulty variable has a share of %.2f, want above 0.75", parts, share)
	}
}

// A row with missing cells is explained as by the marginal distribution of the others, whose covariance matrices
// are blocks of the whole ones. It has the same explanation among other rows as alone.
func TestMissingCellsAreExplainedByTheMarginal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, x := drawn(t, 3)
		var of []int
		for i := range x {
			if rapid.Bool().Draw(t, "present") {
				of = append(of, i)
			} else {
				x[i] = math.NaN()
			}
		}
		z := mat.NewDense(2*takenAtOnce, len(x), nil)
		for j := range 2*takenAtOnce - 1 {
			z.Set(j, j%len(x), float64(j))
		}
		z.SetRow(2*takenAtOnce-1, x)
		all, err := m.Explain(z)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Explain(m.row(x))
		if err != nil {
			t.Fatal(err)
		}
		for i := range x {
			if a, b := all.Parts.At(2*takenAtOnce-1, i), got.Parts.At(0, i); a != b {
				t.Fatalf("variable %d: part %g among others, %g alone", i, a, b)
			}
			if a, b := all.Expected.At(2*takenAtOnce-1, i), got.Expected.At(0, i); a != b {
				t.Fatalf("variable %d: %g is expected among others, %g alone", i, a, b)
			}
		}
		whole, err := m.Complete(m.row(x))
		if err != nil {
			t.Fatal(err)
		}
		want := mat.DenseCopyOf(whole) // of the missing cells
		parts := make([]float64, len(x))
		if len(of) > 0 {
			less := marginalOf(t, m, of)
			rest, err := less.Explain(less.row(gathered(x, of)))
			if err != nil {
				t.Fatal(err)
			}
			for a, i := range of {
				parts[i] = rest.Parts.At(0, a)
				want.Set(0, i, rest.Expected.At(0, a))
			}
		}
		for i, part := range parts {
			testkit.Near(t, "part", got.Parts.At(0, i), part, 1e-9)
			testkit.Near(t, "expected value", got.Expected.At(0, i), want.At(0, i), 1e-9)
		}
	})
}

// marginalOf returns the distribution of some variables, by the inverses of blocks of the covariance matrices.
func marginalOf(t *rapid.T, m *Mixture, of []int) *Mixture {
	means, precisions := mat.NewDense(m.Components(), len(of), nil), []*mat.SymDense(nil)
	for k := range m.Components() {
		block, whole := mat.NewSymDense(len(of), nil), m.Covariance(k)
		for a, i := range of {
			means.Set(k, a, m.Means().At(k, i))
			for b, j := range of {
				block.SetSym(a, b, whole.At(i, j))
			}
		}
		var root mat.Cholesky
		if !root.Factorize(block) {
			t.Fatal("the covariance matrix of a component is not positive definite")
		}
		inverse := mat.NewSymDense(len(of), nil)
		if err := root.InverseTo(inverse); err != nil {
			t.Fatal(err)
		}
		precisions = append(precisions, inverse)
	}
	less, err := NewMixture(m.Weights(), means, precisions)
	if err != nil {
		t.Fatal(err)
	}
	return less
}

// Of variables that are independent, missing ones change nothing for the others.
func TestIndependentVariablesAreExplainedAlone(t *testing.T) {
	m, err := NewDiagMixture(Diag, []float64{1}, mat.NewDense(1, 3, []float64{1, 0, 2}), mat.NewDense(1, 3, []float64{4, 4, 4}))
	if err != nil {
		t.Fatal(err)
	}
	e, err := m.Explain(mat.NewDense(2, 3, []float64{1.2, 5, 2.1, 1.2, math.NaN(), 2.1}))
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range []float64{.08, 0, .02} {
		testkit.Near(t, "part", e.Parts.At(1, i), part, 1e-12)
		testkit.Near(t, "expected value", e.Expected.At(1, i), m.Means().At(0, i), 1e-12)
	}
	testkit.Near(t, "part", e.Parts.At(0, 0), .08, 1e-12)
}
