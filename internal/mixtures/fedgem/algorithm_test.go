package fedgem_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
)

func TestSettings(t *testing.T) {
	algorithmtest.Check(t, fedgem.Kind)
	algorithmtest.Check(t, fedgem.Kind, "components=3-10", "local-steps=2", "min-rows=1", "covariance=full", "radius=half", "final=factor=1,2")
	algorithmtest.Check(t, fedgem.Kind, "components=2", "epsilon=1", "delta=0.001", "clip=4", "rounds=50")
	for settings, want := range map[string]string{
		"components=0":                           "components=0",
		"components=-1":                          "components=-1",
		"components=3-2":                         "components=3-2",
		"covariance=diag":                        "covariance=diag",
		"rounds=1":                               "rounds=1",
		"local-steps=0":                          "local-steps=0",
		"radius=x":                               "radius=x",
		"final=factor":                           "final=factor",
		"final=factor=1,Inf":                     "final=factor=1,Inf",
		"final=factor=1,2":                       "final",
		"epsilon=1":                              "components",
		"epsilon=-1":                             "epsilon=-1",
		"epsilon=1 min-rows=5":                   "min-rows",
		"epsilon=1 components=2 covariance=full": "covariance",
		"epsilon=1 components=2 final=factor=1,2": "final",
	} {
		_, err := algorithmtest.Make(fedgem.Kind, algorithm.Coordinates{ScaledBy: algorithm.Own}, strings.Fields(settings)...)
		if got := algorithmtest.Fault(err); got != want {
			t.Errorf("%s: got %s, want %s: %v", settings, got, want, err)
		}
	}
	for settings, want := range map[string][2]int{"": {1, 50}, "min-rows=1": {50, 50}, "components=2 epsilon=1 clip=1": {10, 10}, "components=2 epsilon=1 clip=1 rounds=20": {20, 20}} {
		a := algorithmtest.New(t, fedgem.Kind, strings.Fields(settings)...).(*fedgem.Algorithm)
		if got := [2]int{a.Traits().Rounds, a.Rounds}; got != want {
			t.Errorf("%s: got %v rounds together, and in all, want %v", settings, got, want)
		}
	}
}

// pairs returns participants with the rows of two out of three clusters, and their labels.
func pairs(each int, labelled bool) []algorithm.Data {
	centres := [][]float64{{0, 0}, {20, 0}, {0, 20}}
	var parts []*mat.Dense
	var labels [][]float64
	for s, own := range [][2]int{{0, 1}, {1, 2}, {2, 0}, {0, 1}} {
		rng := rand.New(testkit.Seed(uint64(s)))
		x, of := mat.NewDense(each, 2, nil), make([]float64, each)
		x.Apply(func(i, j int, _ float64) float64 { return rng.NormFloat64() + centres[own[i%2]][j] }, x)
		for i := range of {
			of[i] = float64(2 + own[i%2])
		}
		parts, labels = append(parts, x), append(labels, of)
	}
	data := algorithmtest.Data(3, parts...)
	for s := range data {
		if labelled {
			data[s].Labels = labels[s]
		}
	}
	return data
}

// However the number of own clusters is chosen, all members find the same three clusters, and
// each row is in the cluster of its own component.
func TestClustersTogether(t *testing.T) {
	labelled := pairs(40, true)
	for settings, data := range map[string][]algorithm.Data{
		"":                labelled,
		"rounds=3":        pairs(40, false),
		"components=2":    pairs(40, false),
		"components=1-3":  pairs(40, false),
		"covariance=full": labelled,
		"final=factor=0.01,0.5 radius=half local-steps=2 min-rows=1": labelled,
	} {
		a := algorithmtest.New(t, fedgem.Kind, strings.Fields(settings)...)
		out := algorithmtest.Train(t, grouptest.Protocol(t), a, data)
		means := out[0].Model.(*fedgem.Model).Means()
		for s, o := range out {
			m := o.Model.(*fedgem.Model)
			if k := m.Components(); k != 3 || o.TotalRows != 160 || !mat.Equal(m.Means(), means) || len(m.Own.Weights()) != 2 {
				t.Errorf("%s: member %d: %d clusters, %+v", settings, s, k, o)
			}
			x, err := algorithm.Dense(data[s].Rows)
			if err != nil {
				t.Fatal(err)
			}
			if ari := metrics.ARI(m.Assign(x), labelled[s].Labels); ari != 1 {
				t.Errorf("%s: member %d: the adjusted Rand index is %g", settings, s, ari)
			}
			read := algorithmtest.Loaded(t, a, m, data[s].Rows).(algorithm.Clusterer)
			if !slices.Equal(read.Assign(x), m.Assign(x)) || !slices.Equal(read.OwnClusters(), m.Of) {
				t.Errorf("%s: member %d: the model that is read has other clusters", settings, s)
			}
		}
	}
}

// For a participant that learns alone, the result is its own clusters. It publishes nothing, so
// there is no noise.
func TestClustersAlone(t *testing.T) {
	of := func(settings ...string) (algorithm.Outcome, error) {
		a := algorithmtest.New(t, fedgem.Kind, settings...)
		return a.Learn(t.Context(), collabdict.Solo{}, pairs(40, true)[0], func(algorithm.Progress) {})
	}
	r, err := of()
	if err != nil || r.Model.(*fedgem.Model).Components() != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	plain, err := of("components=2", "rounds=5")
	if err != nil {
		t.Fatal(err)
	}
	if noisy, err := of("components=2", "rounds=5", "epsilon=0.1", "clip=3"); err != nil || !reflect.DeepEqual(noisy.Model.Arrays(), plain.Model.Arrays()) {
		t.Errorf("%+v, %v", noisy, err)
	}
	if _, err := of("components=41"); algorithmtest.Fault(err) != "components" || !strings.Contains(err.Error(), "40") {
		t.Errorf("got %v", err)
	}
}

// A model without its clusters cannot be loaded.
func TestLoadErrors(t *testing.T) {
	m, err := gmm.NewDiagMixture(gmm.Spherical, []float64{0.5, 0.5}, mat.NewDense(2, 1, []float64{0, 9}), mat.NewDense(2, 1, []float64{1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	a := algorithmtest.New(t, fedgem.Kind)
	for want, of := range map[string][]int{"": {1, 0}, "own_clusters: want shape [2], got [1]": {0}, "own_clusters: want 0 to 1, got 2": {0, 2}} {
		_, err := a.Load(algorithmtest.FromModel(&fedgem.Model{Mixture: m, Own: m, Of: of}), 1)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := a.Load(algorithmtest.FromModel(m), 1); err == nil || !strings.Contains(err.Error(), "own_weights") {
		t.Errorf("got %v", err)
	}
}

func TestDisclosure(t *testing.T) {
	for settings, want := range map[string]string{
		"":                               "the centre, the number of rows and the spread of each of its clusters, and how far each may be moved, once; each is of at least 5 rows",
		"covariance=full min-rows=1":     "the centre, the number of rows and the covariance matrix of each of its clusters, and how far each may be moved, in every round",
		"final=factor=1,2 min-rows=1":    "the centre, the number of rows and the spread of each of its clusters, and how far each may be moved, in every round, and the same of clusters of two thirds of its rows, three times, to choose a factor",
		"components=2 epsilon=5 clip=25": "the centre, the number of rows and the spread of each of its clusters, and how far each may be moved, in every round",
	} {
		d := algorithmtest.New(t, fedgem.Kind, strings.Fields(settings)...).Disclosure(algorithm.Coordinates{ScaledBy: algorithm.None})
		private := strings.Contains(settings, "epsilon")
		if algorithmtest.Shown(d, algorithm.Published) != want || d.Sums || (d.Items[0].Epsilon == algorithm.Covered) != private {
			t.Errorf("%s: got %+v, want %s", settings, d, want)
		}
	}
}
