package task

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/netsim"
)

// pairs are participants with the rows of two out of three clusters, and their labels.
func pairs(each int) (parts []dataset.Participant) {
	centres := [][]float64{{0, 0}, {20, 0}, {0, 20}}
	for s, own := range [][2]int{{0, 1}, {1, 2}, {2, 0}, {0, 1}} {
		x, labels := rows(uint64(s), each, []float64{0, 0}, []float64{1, 1}), make([]float64, each)
		for i := range each {
			k := own[i%2]
			labels[i] = float64(2 + k)
			for j, v := range centres[k] {
				x.Set(i, j, x.At(i, j)+v)
			}
		}
		data := dataset.InMemory(x)
		parts = append(parts, dataset.Participant{
			Name: string(rune('a' + s)), Columns: []string{"x", "y"}, Train: data, Test: data, TrainLabels: labels, TestLabels: labels, ClassLabels: true,
		})
	}
	return parts
}

// Whichever way the number of own clusters comes about, all have the same three, and
// rows are of the cluster that their own component is of.
func TestClustersTogether(t *testing.T) {
	parts := pairs(40)
	byBIC := make([]dataset.Participant, len(parts))
	for i, p := range parts {
		p.TrainLabels = nil
		byBIC[i] = p
	}
	given, ranged, full, chosen := mixtureTask(model.FedGEM), mixtureTask(model.FedGEM), mixtureTask(model.FedGEM), mixtureTask(model.FedGEM)
	given.Components = 2
	ranged.Components, ranged.MostComponents = 1, 3
	full.Covariance = gmm.Full.String()
	chosen.Final, chosen.Radius, chosen.LocalSteps, chosen.MinRows = "factor=0.01,0.5", HalfRadius, 2, 1
	for name, c := range map[string]struct {
		task  Task
		parts []dataset.Participant
	}{
		"labels": {mixtureTask(model.FedGEM), parts}, "bic": {mixtureTask(model.FedGEM), byBIC}, "given": {given, byBIC},
		"range": {ranged, byBIC}, "full": {full, parts}, "chosen": {chosen, parts},
	} {
		if err := c.task.Validate(); err != nil {
			t.Fatal(name, err)
		}
		results := learnTogether(t, c.task, c.parts)
		first := results[0].Model
		if k := first.Mixture().Components(); k != 3 || results[0].Last.Number > c.task.Rounds || first.Manifest.TotalRows != 160 {
			t.Errorf("%s: %d clusters, %+v", name, k, results[0].Last)
		}
		for s, r := range results {
			if !slices.Equal(r.Model.Mixture().Means().RawMatrix().Data, first.Mixture().Means().RawMatrix().Data) {
				t.Errorf("%s: members 0 and %d have other clusters", name, s)
			}
			e, err := Evaluate(r.Model, parts[s])
			if err != nil || e.ARI.Value != 1 || e.Silhouette.Value < 0.8 || len(r.Model.Own.Of) != 2 {
				t.Errorf("%s: member %d: %+v, own clusters %v, %v", name, s, e, r.Model.Own.Of, err)
			}
		}
	}
}

// Alone, own clusters are the clusters, and nobody is shown anything, so there is no
// noise.
func TestClustersAlone(t *testing.T) {
	k := mixtureTask(model.FedGEM)
	p := pairs(40)[0]
	r, err := k.Train(t.Context(), collabdict.Solo{}, p, nil)
	if err != nil || r.Model.Mixture().Components() != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	k.Components = 2
	plain, err := k.Train(t.Context(), collabdict.Solo{}, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	k.Privacy = Privacy{Epsilon: 0.1, Delta: 1e-5, Clip: 3}
	if noisy, err := k.Train(t.Context(), collabdict.Solo{}, p, nil); err != nil || !mat.Equal(noisy.Model.Mixture().Means(), plain.Model.Mixture().Means()) {
		t.Errorf("%+v, %v", noisy, err)
	}
	k.Components, k.Privacy = 41, Privacy{}
	if _, err := k.Train(t.Context(), collabdict.Solo{}, p, nil); err == nil || !strings.Contains(err.Error(), "components: want at most the 40 own rows") {
		t.Errorf("got %v", err)
	}
}

// With the same noise the same comes out, with other noise something else; what it is
// worth is told.
func TestNoiseIsInWhatIsShown(t *testing.T) {
	for _, kind := range []model.Kind{model.FedGen, model.FedGEM} {
		k := mixtureTask(kind)
		k.Components, k.Privacy = 2, Privacy{Epsilon: 5, Delta: 1e-5, Clip: 25}
		if kind == model.FedGen {
			k.Rounds = 1
		}
		if err := k.Validate(); err != nil {
			t.Fatal(err)
		}
		once := private(t, k, 1)
		if again := private(t, k, 1); !reflect.DeepEqual(once, again) {
			t.Errorf("%s: the same noise gives another model", kind)
		}
		if other := private(t, k, 2); reflect.DeepEqual(once, other) {
			t.Errorf("%s: there is no noise", kind)
		}
		for by, covered := range map[Standardise]bool{None: true, Agreed: true, Own: false, Global: false} {
			k.Standardise = by
			w := k.ShownWarnings()[0]
			if !strings.Contains(w, "(5, 1e-05)-differentially private in each row") || strings.Contains(w, "Not covered:") == covered {
				t.Errorf("%s, %s: %s", kind, by, w)
			}
		}
	}
}

// Whoever has noise adds it, however small the group looks.
func TestNoiseDoesNotHangOnTheSizeOfTheGroup(t *testing.T) {
	for _, kind := range []model.Kind{model.FedGen, model.FedGEM} {
		k := mixtureTask(kind)
		k.Components, k.Privacy = 2, Privacy{Epsilon: 5, Delta: 1e-5, Clip: 25}
		if kind == model.FedGen {
			k.Rounds = 1
		}
		private := func(noise uint64) *Result {
			k.Noise = rand.NewPCG(noise, 1)
			r, err := k.Train(t.Context(), collabdict.Solo{}, pairs(400)[0], nil)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		if a, b := private(1), private(2); mat.Equal(a.Model.Mixture().Means(), b.Model.Mixture().Means()) {
			t.Errorf("%s: no noise in a group of one", kind)
		}
	}
}

// A delta that showing a whole row would meet is warned of, by the member's own rows.
func TestDeltaBesideTheNumberOfRows(t *testing.T) {
	for delta, want := range map[float64]bool{1e-5: false, 0.02: false, 0.03: true} {
		k := mixtureTask(model.FedGEM)
		k.Components, k.Privacy = 2, Privacy{Epsilon: 5, Delta: delta, Clip: 25}
		r, err := k.Train(t.Context(), collabdict.Solo{}, pairs(40)[0], nil)
		if err != nil || strings.Contains(strings.Join(r.Warnings, ""), "delta 0.03 is not below one in the 40 own rows") != want {
			t.Errorf("%g: %q, %v", delta, r.Warnings, err)
		}
	}
}

func private(t *testing.T, k Task, noise uint64) []float64 {
	t.Helper()
	net, err := netsim.New(netsim.Config{Names: netsim.Names(4), Settings: k.Settings, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	parts, results := pairs(400), make([]*Result, 4)
	_, err = net.Run(t.Context(), func(ctx context.Context, s int, g collabdict.Group) (err error) {
		own := k
		own.Noise = rand.NewPCG(noise, uint64(s))
		results[s], err = own.Train(ctx, g, parts[s], nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return results[0].Model.Mixture().Means().RawMatrix().Data
}

func TestOptionsOfClusters(t *testing.T) {
	noisy := func(t *Task) { t.Components, t.Privacy = 2, Privacy{Epsilon: 1, Delta: 1e-5, Clip: 3} }
	for want, change := range map[string]func(*Task){
		"components: want at least 1, got -1":                     func(t *Task) { t.Components = -1 },
		"components: want a range from fewer to more, got 3-2":    func(t *Task) { t.Components, t.MostComponents = 3, 2 },
		"components: want at least 1, got 0":                      func(t *Task) { *t = mixtureTask(model.FedGen); t.Components = 0 },
		"covariance: want spherical or full, got \"diag\"":        func(t *Task) { t.Covariance = "diag" },
		"rounds: want at least 2":                                 func(t *Task) { t.Rounds = 1 },
		"local-steps: want at least 1, got 0":                     func(t *Task) { t.LocalSteps = 0 },
		"radius: want exact or half, got \"x\"":                   func(t *Task) { t.Radius = "x" },
		"final: want chi-square, factor=V":                        func(t *Task) { t.Final = "factor" },
		"final: want factors that are finite and above 0":         func(t *Task) { t.Final = "factor=1,Inf" },
		"synthetic: the model fedgem has none":                    func(t *Task) { t.Synthetic = 1 },
		"local-steps: the model dem has none":                     func(t *Task) { *t = mixtureTask(model.DEM); t.LocalSteps = 1 },
		"radius: the model dem has none":                          func(t *Task) { *t = mixtureTask(model.DEM); t.Radius = HalfRadius },
		"final: the model ggm has none":                           func(t *Task) { *t = example(); t.Final = ChiSquare },
		"epsilon: the model dem shows exact sums":                 func(t *Task) { *t = mixtureTask(model.DEM); noisy(t) },
		"epsilon: want a value above 0 and up to 100, got -1":     func(t *Task) { noisy(t); t.Privacy.Epsilon = -1 },
		"delta: want a probability between 0 and 1, got 0":        func(t *Task) { noisy(t); t.Privacy.Delta = 0 },
		"clip: want a bound of the values above 0":                func(t *Task) { noisy(t); t.Privacy.Clip = 0 },
		"components: want a number with epsilon":                  func(t *Task) { noisy(t); t.Components = 0 },
		"covariance: want spherical with epsilon, got \"full\"":   func(t *Task) { noisy(t); t.Covariance = "full" },
		"final: want one factor, or chi-square, with epsilon":     func(t *Task) { noisy(t); t.Final = "factor=1,2" },
		"refine: want no rounds of sums with epsilon":             func(t *Task) { *t = mixtureTask(model.FedGen); noisy(t) },
		"components: want a number with epsilon, since one by BI": func(t *Task) { *t = mixtureTask(model.FedGen); noisy(t); t.MostComponents = 4 },
	} {
		k := mixtureTask(model.FedGEM)
		change(&k)
		if err := k.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	base := mixtureTask(model.FedGEM).Fields(nil)
	for i, change := range []func(*Task){
		func(t *Task) { t.LocalSteps = 2 }, func(t *Task) { t.Radius = HalfRadius }, func(t *Task) { t.Final = "factor=1" },
		func(t *Task) { t.Privacy.Epsilon = 1 }, func(t *Task) { t.Privacy.Delta = 1 }, func(t *Task) { t.Privacy.Clip = 1 },
	} {
		k := mixtureTask(model.FedGEM)
		change(&k)
		if reflect.DeepEqual(k.Fields(nil), base) {
			t.Errorf("change %d is not in the fields", i)
		}
	}
}
