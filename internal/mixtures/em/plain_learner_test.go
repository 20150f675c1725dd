package em_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/dem"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/mixtures/kfed"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
)

func given(m *gmm.Mixture) func(context.Context, collabdict.Group) (*gmm.Mixture, error) {
	return func(context.Context, collabdict.Group) (*gmm.Mixture, error) { return m, nil }
}

// train runs one learner per participant in lock step and returns the learners and the
// rounds.
func train(t testing.TB, parts []*mat.Dense, config func(s int) em.Config, opt collabdict.Options) ([]*em.Learner, []collabdict.Round) {
	t.Helper()
	learners := make([]*em.Learner, len(parts))
	rounds := make([][]collabdict.Round, len(parts))
	grouptest.Together(t, len(parts), func(g collabdict.Group, s int) (err error) {
		if learners[s], err = em.NewLearner(gmm.Matrix(parts[s]), config(s)); err != nil {
			return err
		}
		own := opt
		own.OnRound = func(r collabdict.Round) { rounds[s] = append(rounds[s], r) }
		_, err = collabdict.Train(t.Context(), g, learners[s], own)
		return err
	})
	for s := range learners {
		first := flat(learners[0].Model())
		for i, v := range flat(learners[s].Model()) {
			if math.Float64bits(v) != math.Float64bits(first[i]) {
				t.Fatalf("participants 0 and %d hold different mixtures", s)
			}
		}
	}
	return learners, rounds[0]
}

func participants() []*mat.Dense {
	var parts []*mat.Dense
	for s := range uint64(5) {
		parts = append(parts, rows(100+60*int(s), s))
	}
	return parts
}

// In each round the sums make the same step as EM on all rows in one place.
func TestIsEMOnAllRows(t *testing.T) {
	parts := participants()
	all := stack(parts)
	for _, form := range forms {
		start, err := gmm.Fit(all, 4, gmm.EM{Form: form, Iterations: 1, Tol: -1}, rand.NewPCG(1, 1))
		if err != nil {
			t.Fatal(err)
		}
		want, err := gmm.FitFrom(start.Mixture, all, gmm.EM{Iterations: 12, Tol: -1})
		if err != nil {
			t.Fatal(err)
		}
		learners, rounds := train(t, parts, func(int) em.Config { return em.Config{Plain: &em.Plain{Mixture: given(start.Mixture)}} }, collabdict.Options{Rounds: 12})
		// The bound after a step is between the log-likelihoods before and after it.
		after := append(want.Trace[1:], meanLogLik(t, want.Mixture, all))
		for i, before := range want.Trace {
			if got := rounds[i].Objective; got < before-1e-6 || got > after[i]+1e-11 {
				t.Errorf("%s: the bound after round %d is %.12g, want one from %.12g to %.12g", form, i+1, got, before, after[i])
			}
		}
		got := flat(learners[0].Model())
		for i, v := range flat(want.Mixture) {
			near(t, form.String()+": parameter", got[i], v, 1e-8)
		}
		if n, _ := all.Dims(); learners[0].TotalRows() != n {
			t.Errorf("got %d rows, want %d", learners[0].TotalRows(), n)
		}
	}
}

// From each of the three starts, the mean log-likelihood rises until the paper's rule ends the
// training. It reaches the value of EM on all rows in one place. From centres that use little of
// the rows, it may reach an optimum a little below.
func TestStarts(t *testing.T) {
	parts := participants()
	all := stack(parts)
	pooled, err := gmm.Fit(all, 4, gmm.EM{}, rand.NewPCG(2, 1))
	if err != nil {
		t.Fatal(err)
	}
	want := meanLogLik(t, pooled.Mixture, all)
	src := rand.New(rand.NewPCG(3, 1))
	shared, err := gmm.Fit(dem.SharedRows(parts, 100, src), 4, gmm.EM{}, src)
	if err != nil {
		t.Fatal(err)
	}
	spread := em.Spread(4, []float64{-6, -6, -6}, []float64{6, 6, 6}, rand.NewPCG(4, 1))
	below := map[string]float64{"spread": 0.6, "shared rows": 0.01, "k-FED": 0.05}
	for name, config := range map[string]func(s int) em.Config{
		"spread": func(int) em.Config {
			return em.Config{Plain: &em.Plain{Centres: func(context.Context, collabdict.Group) (*mat.Dense, error) { return spread, nil }}}
		},
		"shared rows": func(int) em.Config { return em.Config{Plain: &em.Plain{Mixture: given(shared.Mixture)}} },
		"k-FED": func(s int) em.Config {
			return em.Config{Plain: &em.Plain{Centres: func(ctx context.Context, g collabdict.Group) (*mat.Dense, error) {
				centres, _, err := kfed.Cluster(ctx, g, parts[s], kfed.Config{Local: 4, Clusters: 4}, rand.NewPCG(5, uint64(s)))
				return centres, err
			}}}
		},
	} {
		learners, rounds := train(t, parts, config, collabdict.Options{Rounds: 100, AbsTol: 1e-3})
		for i := 1; i < len(rounds); i++ {
			if rounds[i].Objective < rounds[i-1].Objective-1e-4 { // the regularisation is not part of the objective
				t.Errorf("%s: mean log-likelihood falls from %.9g to %.9g in round %d", name, rounds[i-1].Objective, rounds[i].Objective, i+1)
			}
		}
		last := rounds[len(rounds)-1]
		got := meanLogLik(t, learners[0].Model(), all)
		t.Logf("%s: %.4f after %d rounds, pooled %.4f", name, got, last.Number, want)
		if !last.Converged || got < want-below[name] {
			t.Errorf("%s: %.4f, converged %t, want %.4f", name, got, last.Converged, want)
		}
	}
}

// For any rows and mixture the statistics stay within the bounds, which the group of one
// checks.
func TestBoundsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim, k := rapid.IntRange(1, 20).Draw(t, "rows"), rapid.IntRange(1, 4).Draw(t, "columns"), rapid.IntRange(1, 4).Draw(t, "components")
		scale := math.Pow(10, rapid.Float64Range(-3, 58).Draw(t, "log scale"))
		value := rapid.OneOf(rapid.Float64Range(-1, 1), rapid.SampledFrom([]float64{0, 1, -1}))
		x := mat.NewDense(n, dim, rapid.SliceOfN(value, n*dim, n*dim).Draw(t, "values"))
		x.Scale(scale, x)
		centres := mat.NewDense(k, dim, rapid.SliceOfN(value, k*dim, k*dim).Draw(t, "centres"))
		centres.Scale(2*scale, centres)
		l, err := em.NewLearner(gmm.Matrix(x), em.Config{Plain: &em.Plain{
			Centres: func(context.Context, collabdict.Group) (*mat.Dense, error) { return centres, nil },
			Form:    rapid.SampledFrom(forms).Draw(t, "form"), RegCovar: 1e-6 * scale * scale,
		}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := collabdict.Train(context.Background(), collabdict.Solo{}, l, collabdict.Options{Rounds: 4}); err != nil {
			t.Fatal(err)
		}
		if l.TotalRows() != n {
			t.Fatalf("got %d rows, want %d", l.TotalRows(), n)
		}
	})
}

func TestErrors(t *testing.T) {
	l, err := em.NewLearner(gmm.Matrix(rows(10, 1)), em.Config{Plain: &em.Plain{Mixture: given(nil)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.LocalUpdate(); err == nil {
		t.Error("a local update without a start: want an error")
	}
	other, err := gmm.Fit(mat.NewDense(3, 2, []float64{0, 1, 2, 3, 4, 6}), 1, gmm.EM{}, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	l, err = em.NewLearner(gmm.Matrix(rows(10, 1)), em.Config{Plain: &em.Plain{Mixture: given(other.Mixture)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Start(t.Context(), collabdict.Solo{}); err == nil || !strings.Contains(err.Error(), "want a first mixture of 3 columns, as many as the rows have, got 2") {
		t.Errorf("got error %v", err)
	}
	if _, err := em.NewLearner(gmm.Matrix(mat.NewDense(1, 1, []float64{math.NaN()})), em.Config{Plain: &em.Plain{Mixture: given(nil)}}); err == nil {
		t.Error("rows that are no numbers: want an error")
	}
}

func TestSpread(t *testing.T) {
	low, high := []float64{0, 10, -1}, []float64{1, 30, 1}
	got := em.Spread(9, low, high, rand.NewPCG(1, 1))
	for i, v := range []float64{0.5, 20, 0} {
		near(t, "the first centre", got.At(0, i), v, 0.1*(high[i]-low[i]))
	}
	// The middle and the eight corners of a box are as far apart as nine points can be.
	for c := 1; c < 9; c++ {
		for i := range 3 {
			if at := (got.At(c, i) - low[i]) / (high[i] - low[i]); at < 0 || at > 1 || at > 0.15 && at < 0.85 {
				t.Errorf("centre %d, column %d: %.3f of the range, want a corner", c, i, at)
			}
		}
	}
	if again := em.Spread(9, low, high, rand.NewPCG(1, 1)); !mat.Equal(again, got) {
		t.Error("the same seed gives other centres")
	}
}
