package dem_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures"
	"github.com/collabdict/collabdict/internal/mixtures/dem"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/option"
)

func TestSettings(t *testing.T) {
	algorithmtest.Check(t, dem.Kind)
	algorithmtest.Check(t, dem.Kind, "components=3", "tol=0", "covariance=full", "start=k-fed", "min-rows=1")
	for setting, want := range map[string]string{
		"components=2-4": "components=2-4",
		"covariance=x":   "covariance=x",
		"start=x":        "start=x",
		"min-rows=5":     "min-rows",
	} {
		_, err := algorithmtest.Make(dem.Kind, algorithm.Coordinates{}, setting)
		if got := algorithmtest.Fault(err); got != want {
			t.Errorf("%s: got %s, want %s: %v", setting, got, want, err)
		}
	}
	least := func(settings ...string) int { return algorithmtest.New(t, dem.Kind, settings...).Traits().ShownRows }
	if least() != 0 || least("start=k-fed") != 5 || least("start=k-fed", "min-rows=1") != 1 {
		t.Errorf("shown are components of %d rows, with k-fed of %d, or %d", least(), least("start=k-fed"), least("start=k-fed", "min-rows=1"))
	}
}

// From every start, members get one mixture that is about as good as a fit to all rows in one
// place. A written mixture can be read again.
func TestAlgorithm(t *testing.T) {
	var parts []*mat.Dense
	all, rng := mat.NewDense(300, 2, nil), rand.New(testkit.Seed(1))
	all.Apply(func(i, j int, _ float64) float64 { return rng.NormFloat64() + float64(7*(i%2)*(1-j)) }, all)
	for s := range 5 {
		parts = append(parts, all.Slice(60*s, 60*(s+1), 0, 2).(*mat.Dense))
	}
	fit, err := gmm.Fit(all, 2, gmm.EM{Form: gmm.Diag}, testkit.Seed(1))
	if err != nil {
		t.Fatal(err)
	}
	want, _ := fit.Mixture.MeanLogLik(gmm.Matrix(all))
	data := algorithmtest.Data(3, parts...)
	for _, start := range []string{"spread", "k-fed", "shared-rows"} {
		a := algorithmtest.New(t, dem.Kind, "components=2", "rounds=40", "start="+start)
		if err := a.(algorithm.InOneProcess).Together(3, func() (*mat.Dense, error) { return all, nil }); err != nil {
			t.Fatal(err)
		}
		out := algorithmtest.Train(t, grouptest.Protocol(t), a, data)
		first := out[0].Model.(*gmm.Mixture)
		for s, o := range out {
			if !slices.Equal(o.Model.(*gmm.Mixture).Means().RawMatrix().Data, first.Means().RawMatrix().Data) {
				t.Errorf("%s: members 0 and %d have other mixtures", start, s)
			}
		}
		got, _ := first.MeanLogLik(gmm.Matrix(all))
		if got < want-0.03 || out[0].TotalRows != 300 || first.Form() != gmm.Diag {
			t.Errorf("%s: log-likelihood %.4f, want about %.4f; %+v", start, got, want, out[0])
		}
		algorithmtest.Loaded(t, a, first, data[0].Rows)
	}
}

// A participant alone gets the mixture of EM from k-means++ on its rows, whatever the start.
func TestAlone(t *testing.T) {
	x := testkit.Patterns(180, 2, 2, 1)
	a := algorithmtest.New(t, dem.Kind, "components=2", "tol=0", "start=shared-rows")
	out, err := a.Learn(t.Context(), collabdict.Solo{}, algorithmtest.Data(3, x)[0], func(algorithm.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	em := mixtures.EM("diag", 0)
	em.Iterations = 200
	fit, err := gmm.FitFrom(out.Model.(*gmm.Mixture), x, em)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := out.Model.(*gmm.Mixture).MeanLogLik(gmm.Matrix(x))
	if want, _ := fit.Mixture.MeanLogLik(gmm.Matrix(x)); math.Abs(got-want) > 1e-4 || out.Last.Number != 100 {
		t.Errorf("log-likelihood %g, want %g; %+v", got, want, out.Last)
	}
	var parts []*mat.Dense
	for _, d := range algorithmtest.Clusters(3) {
		own, err := algorithm.Dense(d.Rows)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, own)
	}
	all := parts[0]
	for _, x := range parts[1:] {
		var more mat.Dense
		more.Stack(all, x)
		all = &more
	}
	if out, err = a.Learn(t.Context(), collabdict.Solo{}, algorithmtest.Of(0, all), func(algorithm.Progress) {}); err != nil {
		t.Fatal(err)
	}
	if fit, err = gmm.Fit(all, 2, mixtures.EM("diag", 0), rand.NewChaCha8(mixtures.Seed(3))); err != nil {
		t.Fatal(err)
	}
	got, _ = out.Model.(*gmm.Mixture).MeanLogLik(gmm.Matrix(all))
	if want, _ := fit.Mixture.MeanLogLik(gmm.Matrix(all)); math.Abs(got-want) > 1e-6 {
		t.Errorf("log-likelihood %g, want %g", got, want)
	}
	a = algorithmtest.New(t, dem.Kind, "components=181")
	if _, err := a.Learn(t.Context(), collabdict.Solo{}, algorithmtest.Data(3, x)[0], nil); algorithmtest.Fault(err) != "components" || !strings.Contains(err.Error(), "180") {
		t.Errorf("got %v", err)
	}
}

// Rows are shared only in simulations.
func TestRowsAreSharedOnlyInSimulations(t *testing.T) {
	a := algorithmtest.New(t, dem.Kind, "start=shared-rows")
	g := &grouptest.Ahead{Group: collabdict.Solo{}}
	var e *option.Error
	if _, err := a.Learn(t.Context(), g, algorithmtest.Data(3, testkit.Patterns(60, 2, 2, 1))[0], nil); !errors.As(err, &e) || !strings.Contains(e.Msg, "a participant cannot be asked for its rows") || e.Hint != "take spread or k-fed" {
		t.Errorf("got %v", err)
	}
}

func TestDisclosure(t *testing.T) {
	if d := algorithmtest.New(t, dem.Kind).Disclosure(algorithm.Coordinates{ScaledBy: algorithm.None}); algorithmtest.Shown(d, algorithm.Published) != "" || !d.Sums || d.Conserved != algorithm.Variances {
		t.Errorf("%+v", d)
	}
	d := algorithmtest.New(t, dem.Kind, "start=k-fed", "covariance=full").Disclosure(algorithm.Coordinates{})
	if !strings.Contains(algorithmtest.Shown(d, algorithm.Published), "each the mean of at least 5 rows") || d.Conserved != algorithm.Covariances {
		t.Errorf("k-fed: %+v", d)
	}
}

// A member gets a warning about components that have only its rows; other members, and a
// participant that learns alone, do not.
func TestComponentsOfOneMember(t *testing.T) {
	common := func(seed uint64) *mat.Dense { return algorithmtest.Draw(seed, 60, []float64{0, 0}, []float64{1, 1}) }
	own := mat.NewDense(90, 2, nil)
	own.Stack(common(1), algorithmtest.Draw(4, 30, []float64{40, -40}, []float64{1, 1}))
	data := algorithmtest.Data(1, own, common(2), common(3))
	a := algorithmtest.New(t, dem.Kind, "components=2")
	for rank, o := range algorithmtest.Train(t, lockstep.Run, a, data) {
		if told := len(o.Warnings) == 1 && strings.Contains(o.Warnings[0], "only your rows"); told != (rank == 0) {
			t.Errorf("member %d: %q", rank, o.Warnings)
		}
	}
	if o := algorithmtest.Train(t, lockstep.Run, a, data[:1])[0]; len(o.Warnings) > 0 {
		t.Errorf("alone: %q", o.Warnings)
	}
}
