package guard

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/density"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/testkit"
)

// problem is a mixture, and rows whose last few are nearly the same.
type problem struct {
	model  *gmm.Mixture
	rows   *mat.Dense
	origin []float64
	form   gmm.Covariance
}

func drawProblem(t *rapid.T) problem {
	k, dim := rapid.IntRange(1, 4).Draw(t, "components"), rapid.IntRange(1, 3).Draw(t, "columns")
	p := problem{form: rapid.SampledFrom([]gmm.Covariance{gmm.Full, gmm.Diag}).Draw(t, "form")}
	value := rapid.Float64Range(-6, 6)
	means := mat.NewDense(k, dim, rapid.SliceOfN(value, k*dim, k*dim).Draw(t, "means"))
	weights, ones, full := make([]float64, k), mat.NewDense(k, dim, nil), make([]*mat.SymDense, k)
	for c := range k {
		weights[c], full[c] = 1/float64(k), mat.NewSymDense(dim, nil)
		for i := range dim {
			ones.Set(c, i, 1)
			full[c].SetSym(i, i, 1)
		}
	}
	var err error
	if p.model, err = gmm.NewMixture(weights, means, full); p.form != gmm.Full {
		p.model, err = gmm.NewDiagMixture(p.form, weights, means, ones)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.origin = rapid.SliceOfN(value, dim, dim).Draw(t, "origin")
	n := rapid.IntRange(5, 200).Draw(t, "rows")
	few := rapid.IntRange(0, 3).Draw(t, "nearly equal")
	far := rapid.SliceOfN(value, dim, dim).Draw(t, "place")
	p.rows = mat.NewDense(n, dim, nil)
	for j := range n {
		for i := range dim {
			x := rapid.Float64Range(-1, 1).Draw(t, "x")
			if j >= n-few {
				x = far[i] + 1e-3*x
			} else {
				x += means.At(j%k, i)
			}
			p.rows.Set(j, i, x)
		}
	}
	return p
}

// of returns how the statistics of the problem are computed with a policy.
func (p problem) of(policy privacy.Policy) Of {
	r := passes.NewReader(gmm.Matrix(p.rows))
	about := mat.NewDense(p.model.Components(), p.model.Dim(), nil)
	for k := range p.model.Components() {
		about.SetRow(k, p.origin)
	}
	return Of{
		Rule: privacy.Rule{Least: 5, Policy: policy}, Model: p.model, Origin: p.origin,
		Statistics: func(m *gmm.Mixture) (*passes.Moments, error) {
			s, _, err := density.Of(m).Statistics(r, nil, about, nil, true)
			return s, err
		},
		Fits: func(*passes.Moments) bool { return true },
		Mean: func(k int, rows float64) []float64 {
			return p.model.DrawMean(k, rows, privacy.Key{1}.Source("test ", k))
		},
	}
}

func (p problem) run(t rapid.TB, policy privacy.Policy) (*passes.Moments, Components) {
	s, c, _, err := Components{}.Statistics(p.of(policy))
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// sums returns the sums over the components, which a running total shows.
func sums(s *passes.Moments) []float64 {
	out := make([]float64, 1+s.Dim+s.Stride())
	for k, n := range s.N {
		out[0] += n
		for i := range s.Dim {
			out[1+i] += s.First[k*s.Dim+i]
		}
		for i := range s.Stride() {
			out[1+s.Dim+i] += s.Second[k*s.Stride()+i]
		}
	}
	return out
}

// Whatever the guard does, subtraction shows nothing, because the sums over the components stay
// the same. Each part that leaves rests on enough rows or on a draw, and has the moments of
// some rows.
func TestSentPartsAreDiverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		plain, _ := p.run(t, privacy.Warn)
		want := sums(plain)
		for _, policy := range []privacy.Policy{privacy.SkipComponent, privacy.DrawComponent} {
			s, c := p.run(t, policy)
			for i, v := range sums(s) {
				testkit.Near(t, "sum over the components", v, want[i], 1e-9*(1+math.Abs(want[i])))
			}
			for k, n := range s.N {
				switch {
				case c.without[k] && n != 0:
					t.Fatalf("%s: component %d is left out, and has %g rows", policy, k, n)
				case c.without[k]:
				case c.draws[k] != nil:
					for i, v := range c.draws[k].mean {
						testkit.Near(t, "mean of a draw", s.First[k*s.Dim+i]/n+p.origin[i], v, 1e-9*(1+math.Abs(v)))
					}
				case s.Shares[k].Live() && s.Shares[k].Below(5):
					t.Fatalf("%s: component %d has the shares %+v", policy, k, s.Shares[k])
				}
			}
			again, same := p.run(t, policy)
			if !testkit.SameBits(again.Pack(), s.Pack()) {
				t.Fatal("the same statistics have other draws")
			}
			// The result stays the same when the model has moved.
			_, later, done, err := same.Statistics(problem{p.model, p.rows, p.origin, p.form}.of(policy))
			if err != nil || len(done) != 0 {
				t.Fatalf("got %v and %v of statistics that are dealt with", done, err)
			}
			for k := range later.without {
				if c.settled(k) && !later.settled(k) {
					t.Fatalf("component %d is as it was", k)
				}
			}
		}
		_, _, _, err := Components{}.Statistics(p.of(privacy.Stop))
		low := leastDiverse(plain.Shares, privacy.Rule{Least: 5}, func(int) bool { return false })
		var stopped *privacy.LowError
		if errors.As(err, &stopped) != (low >= 0) || stopped != nil && stopped.Component != low+1 {
			t.Fatalf("got %v, want an error of component %d", err, low+1)
		}
	})
}

// apart returns a mixture of three components; the last one has three nearly equal rows.
func apart(rows int) problem {
	const dim = 2
	means := mat.NewDense(3, dim, []float64{0, 0, 4, 0, 2, 6})
	unit := mat.NewSymDense(dim, []float64{1, 0, 0, 1})
	m, err := gmm.NewMixture([]float64{0.4, 0.4, 0.2}, means, []*mat.SymDense{unit, unit, unit})
	if err != nil {
		panic(err)
	}
	x := mat.NewDense(rows, dim, nil)
	for j := range rows {
		c, angle := j%2, float64(j)
		x.SetRow(j, []float64{means.At(c, 0) + math.Sin(angle), means.At(c, 1) + math.Cos(1.7*angle)})
	}
	for j := range 3 {
		x.SetRow(rows-1-j, []float64{2 + 1e-3*float64(j), 6})
	}
	return problem{model: m, rows: x, origin: []float64{0, 0}}
}

// The statistics are those of a model without the component.
func TestRowsCountForOtherComponents(t *testing.T) {
	p := apart(100)
	s, c := p.run(t, privacy.SkipComponent)
	if !c.without[2] || c.without[0] || c.without[1] {
		t.Fatalf("got %v without rows, want the last component", c.without)
	}
	without := p
	unit := mat.NewSymDense(2, []float64{1, 0, 0, 1})
	var err error
	if without.model, err = gmm.NewMixture([]float64{0.5, 0.5}, p.model.Means().Slice(0, 2, 0, 2).(*mat.Dense), []*mat.SymDense{unit, unit}); err != nil {
		t.Fatal(err)
	}
	want, _ := without.run(t, privacy.Warn)
	for k := range 2 {
		testkit.Near(t, "rows", s.N[k], want.N[k], 1e-9)
		for i := range 2 {
			testkit.Near(t, "first moment", s.First[k*2+i], want.First[k*2+i], 1e-9)
		}
	}
	testkit.Near(t, "entropy", s.Entropy, want.Entropy, 1e-9)
}

// A draw keeps the number of rows. If it does not fit, the rows count for other components.
func TestDrawStandsForAPart(t *testing.T) {
	p := apart(400)
	plain, _ := p.run(t, privacy.Warn)
	rows, mean := plain.N[2], plain.First[4]/plain.N[2]
	s, c := p.run(t, privacy.DrawComponent)
	if c.draws[2] == nil || c.without[2] {
		t.Fatal("want a draw of the last component")
	}
	testkit.Near(t, "rows", s.N[2], rows, 1e-12)
	if off := math.Abs(s.First[4]/rows - mean); off < 0.01 || off > 4 {
		t.Errorf("the draw is %g from the rows, want it like the mean of three rows", off)
	}
	for _, k := range []int{0, 1} {
		if !definite(s, k) {
			t.Errorf("component %d has no covariance matrix", k)
		}
	}
	if _, c = apart(8).run(t, privacy.DrawComponent); c.draws[2] != nil || !c.without[2] {
		t.Error("want the rows to count for others where these are too few to take the difference")
	}
	narrow := p.of(privacy.DrawComponent)
	narrow.Fits = func(*passes.Moments) bool { return false }
	_, c, done, err := Components{}.Statistics(narrow)
	if err != nil || !c.without[2] || len(done) != 1 || done[0].Action != string(privacy.SkipComponent) {
		t.Errorf("got %+v, %v of moments that do not fit, want the component left out", done, err)
	}
}
