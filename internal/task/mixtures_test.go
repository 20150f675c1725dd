package task

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/fedgen"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/netsim"
)

// mixtureTask is a task of fedgen or dem.
func mixtureTask(k model.Kind) Task {
	t := example()
	t.Model, t.Lambda0, t.Tol, t.Covariance, t.Standardise = k, 0, 1e-3, "diag", None
	switch t.Rounds = 3; k {
	case model.DEM:
		t.Start = Spread
	case model.FedGEM:
		t.Components, t.Tol, t.Covariance = 0, 1e-6, "spherical"
		t.LocalSteps, t.Radius, t.Final = 1, ExactRadius, ChiSquare
	}
	return t
}

// clusters are rows of two clusters; the later a participant, the more of the second.
func clusters(participants int) ([]dataset.Participant, *mat.Dense) {
	const each = 60
	var parts []dataset.Participant
	all := mat.NewDense(participants*each, 2, nil)
	for s := range participants {
		x := rows(uint64(s), each, []float64{-3, 1}, []float64{1, 0.5})
		for i := range each * (s + 1) / (participants + 1) {
			x.Set(i, 0, x.At(i, 0)+7)
		}
		for i := range each {
			all.SetRow(s*each+i, x.RawRowView(i))
		}
		parts = append(parts, dataset.Participant{Name: fmt.Sprint("p", s), Columns: []string{"x", "y"}, Train: dataset.InMemory(x)})
	}
	return parts, all
}

// learnTogether trains over the protocol and returns the results.
func learnTogether(t *testing.T, k Task, parts []dataset.Participant, faults ...netsim.Fault) []*Result {
	t.Helper()
	net, err := netsim.New(netsim.Config{Names: netsim.Names(len(parts)), Settings: k.Settings, Seed: 1, Faults: faults})
	if err != nil {
		t.Fatal(err)
	}
	results := make([]*Result, len(parts))
	_, err = net.Run(t.Context(), func(ctx context.Context, s int, g collabdict.Group) (err error) {
		results[s], err = k.Train(ctx, g, parts[s], nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// Members come to one and the same mixture, that is about as good as that of all rows in
// one place.
func TestMixturesTogether(t *testing.T) {
	parts, all := clusters(5)
	choices, best, err := fedgen.Select(all, fedgen.Range{Min: 2, Max: 2}, gmm.EM{Form: gmm.Diag}, [32]byte{})
	if err != nil {
		t.Fatal(err)
	}
	once, paper, refined := mixtureTask(model.FedGen), mixtureTask(model.FedGen), mixtureTask(model.FedGen)
	once.Rounds, once.MostComponents = 1, 4
	paper.Rounds, paper.Synthetic = 1, 200
	spread, kfed, shared := mixtureTask(model.DEM), mixtureTask(model.DEM), mixtureTask(model.DEM)
	spread.Rounds, kfed.Start, shared.Start = 30, KFed, SharedRows
	if err := shared.ShareRows(all); err != nil {
		t.Fatal(err)
	}
	for name, k := range map[string]Task{"once": once, "paper": paper, "refined": refined, "spread": spread, "k-fed": kfed, "shared": shared} {
		if err := k.Validate(); err != nil {
			t.Fatal(name, err)
		}
		results := learnTogether(t, k, parts)
		first := results[0].Model
		for s, r := range results {
			if !slices.Equal(r.Model.Mixture().Means().RawMatrix().Data, first.Mixture().Means().RawMatrix().Data) {
				t.Errorf("%s: members 0 and %d have other mixtures", name, s)
			}
		}
		got, err := first.Mixture().MeanLogLik(gmm.Matrix(all))
		if err != nil {
			t.Fatal(err)
		}
		if want := choices[best].MeanLogLik; got < want-0.03 || first.Manifest.TotalRows != 300 || first.Mixture().Form() != gmm.Diag {
			t.Errorf("%s: log-likelihood %.4f, want about %.4f; %+v", name, got, want, first.Manifest)
		}
		if k.Rounds == 1 && results[0].Last.Number != 1 || k.Model == model.FedGen && results[0].Selection.Rows != 300 {
			t.Errorf("%s: %+v, %+v", name, results[0].Last, results[0].Selection)
		}
	}
}

// Who is lost before it has shown its mixture is left out of it.
func TestAMemberIsLostBeforeTheOneRound(t *testing.T) {
	parts, _ := clusters(5)
	k := mixtureTask(model.FedGen)
	results := learnTogether(t, k, parts, netsim.Stop{Member: 3, Slot: 1})
	for s, r := range results {
		if s == 3 {
			continue
		}
		if r.Model == nil || r.Selection.Rows != 240 || r.Selection.Gathered != 8 || r.Last.Number < 2 || len(r.Model.Manifest.Privacy.History) != r.Last.Number {
			t.Errorf("member %d: %+v, %+v", s, r.Selection, r.Last)
		}
	}
}

// Alone, a mixture is that of EM from k-means++ on the own rows.
func TestMixturesAlone(t *testing.T) {
	_, all := clusters(3)
	p := dataset.Participant{Name: "a", Columns: []string{"x", "y"}, Train: dataset.InMemory(all)}
	for _, kind := range []model.Kind{model.FedGen, model.DEM} {
		k := mixtureTask(kind)
		if k.Tol = 0; kind == model.FedGen {
			k.Rounds = 1
		} else {
			k.Rounds, k.Start = 100, SharedRows
		}
		r, err := k.Train(t.Context(), collabdict.Solo{}, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		fit, err := gmm.Fit(all, 2, gmm.EM{Form: gmm.Diag, Tol: -1}, k.source())
		if err != nil {
			t.Fatal(err)
		}
		got, _ := r.Model.Mixture().MeanLogLik(gmm.Matrix(all))
		want, _ := fit.Mixture.MeanLogLik(gmm.Matrix(all))
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: log-likelihood %g, want %g", kind, got, want)
		}
	}
}

// Rows are shared in simulations alone.
func TestNobodyIsAskedForRows(t *testing.T) {
	parts, _ := clusters(3)
	k := mixtureTask(model.DEM)
	k.Start = SharedRows
	net, err := netsim.New(netsim.Config{Names: netsim.Names(3), Settings: k.Settings, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = net.Run(t.Context(), func(ctx context.Context, s int, g collabdict.Group) error {
		_, err := k.Train(ctx, g, parts[s], nil)
		if err == nil || !strings.Contains(err.Error(), "take spread or k-fed") {
			t.Errorf("got %v", err)
		}
		return err
	})
}

func TestOptionsOfMixtures(t *testing.T) {
	for want, change := range map[string]func(*Task){
		"covariance: want full, diag or spherical, got \"x\"":           func(t *Task) { t.Covariance = "x" },
		"covariance: want full, diag or spherical, got none":            func(t *Task) { t.Covariance = "" },
		"synthetic: want 1 to":                                          func(t *Task) { t.Synthetic = -1 },
		"components: want a range":                                      func(t *Task) { t.MostComponents = 1 },
		"lambda0: the model fedgen has none":                            func(t *Task) { t.Lambda0 = 1 },
		"rho: the model fedgen has none":                                func(t *Task) { t.Rho = 1 },
		"start: the model fedgen has none":                              func(t *Task) { t.Start = KFed },
		"components: the model dem takes one number, got the range 2-4": func(t *Task) { *t = mixtureTask(model.DEM); t.MostComponents = 4 },
		"start: want spread, k-fed or shared-rows":                      func(t *Task) { *t = mixtureTask(model.DEM); t.Start = "x" },
		"covariance: the model ggm has none":                            func(t *Task) { *t = example(); t.Covariance = "diag" },
	} {
		k := mixtureTask(model.FedGen)
		change(&k)
		var e *Error
		if err := k.Validate(); !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	base := fmt.Sprint(mixtureTask(model.DEM).Fields(nil))
	for i, change := range []func(*Task){
		func(t *Task) { t.MostComponents = 9 }, func(t *Task) { t.Covariance = "full" },
		func(t *Task) { t.Synthetic = 5 }, func(t *Task) { t.Start = KFed },
	} {
		k := mixtureTask(model.DEM)
		change(&k)
		if fmt.Sprint(k.Fields(nil)) == base {
			t.Errorf("change %d is not in the fields", i)
		}
	}
}

// What a kind shows in the clear is in the ledger, and told.
func TestWhatMixturesShow(t *testing.T) {
	k := mixtureTask(model.FedGen)
	k.Rounds = 1
	list := strings.Join(k.published(collabdict.Solo{}), "; ")
	if !strings.Contains(list, "the own mixture, whole") || strings.Contains(list, "power of two") || !strings.Contains(strings.Join(k.ShownWarnings(), ""), "no sum hides: the own mixture") {
		t.Errorf("fedgen: %s", list)
	}
	k.Rounds = 2
	if list := strings.Join(k.published(collabdict.Solo{}), "; "); !strings.Contains(list, "power of two") {
		t.Errorf("refined: %s", list)
	}
	if k = mixtureTask(model.DEM); strings.Contains(strings.Join(k.ShownWarnings(), ""), "shows all others") {
		t.Errorf("dem: %s", k.ShownWarnings())
	}
	if k.Start = KFed; !strings.Contains(strings.Join(k.ShownWarnings(), ""), "centres of clusters") {
		t.Errorf("k-fed: %s", k.ShownWarnings())
	}
}
