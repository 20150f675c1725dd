package task

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/lockstep"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/netsim"
)

func betaTask(w Weighting) Task {
	t := example()
	t.Model, t.Components, t.Rounds, t.Tol, t.Lambda0 = model.BVAE, 0, 6, 0, 0
	t.Standardise, t.Normalise = Global, MinMax
	t.Networks = Networks{Latent: 2, Hidden: []int{6, 4}, Batch: 20, Rate: 0.01, Beta: 0.01, Epochs: 3}
	t.Weighting = w
	return t
}

var byLatent = Weighting{Weights: Latent, Effect: 0.3, Offset: "0.01", Every: 2, Publish: true, Debias: true}

// unevenly leaves the first participant a third of its rows.
func unevenly() []dataset.Participant {
	parts, all := clusters(3)
	parts[0].Train = dataset.InMemory(all.Slice(0, 20, 0, 2).(*mat.Dense))
	return parts
}

// runTask trains in a group, each participant with a secret of its own.
func runTask(t *testing.T, k Task, parts []dataset.Participant, run func(func(context.Context, collabdict.Group, int) error) error) []*Result {
	t.Helper()
	results := make([]*Result, len(parts))
	err := run(func(ctx context.Context, g collabdict.Group, s int) (err error) {
		own := k
		own.Noise = rand.NewPCG(7, uint64(s))
		results[s], err = own.Train(ctx, g, parts[s], nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func overNetwork(t *testing.T, k Task, parts []dataset.Participant, faults ...netsim.Fault) []*Result {
	return runTask(t, k, parts, func(f func(context.Context, collabdict.Group, int) error) error {
		net, err := netsim.New(netsim.Config{Names: netsim.Names(len(parts)), Settings: k.Settings, Seed: 1, Faults: faults})
		if err != nil {
			t.Fatal(err)
		}
		_, err = net.Run(t.Context(), func(ctx context.Context, s int, g collabdict.Group) error { return f(ctx, g, s) })
		return err
	})
}

func inLockstep(t *testing.T, k Task, parts []dataset.Participant) []*Result {
	return runTask(t, k, parts, func(f func(context.Context, collabdict.Group, int) error) error {
		return lockstep.Run(t.Context(), len(parts), f)
	})
}

func parametersOf(r *Result) []float32 { return r.Model.Scorer.(model.BetaVAE).Parameters().Values }

// All hold the same model, bit for bit, and so does who begins again with the same secrets;
// each knows its own weight, and all of them those of all where these are published.
func TestWeightedTogether(t *testing.T) {
	for name, w := range map[string]Weighting{"fedavg": {Weights: FedAvg}, "latent": byLatent} {
		parts := unevenly()
		results, again := overNetwork(t, betaTask(w), parts), overNetwork(t, betaTask(w), parts)
		total := 0.0
		for s, r := range results {
			if !slices.Equal(parametersOf(r), parametersOf(results[0])) || !slices.Equal(parametersOf(r), parametersOf(again[s])) {
				t.Errorf("%s: participant %d has another model", name, s)
			}
			m := r.Model.Manifest
			own := m.Privacy.History[len(m.Privacy.History)-1].Weighting
			if own == nil || own.Discrepancy.Applies != (w.Weights == Latent) || m.TotalRows != 140 || m.Rounds != 6 {
				t.Fatalf("%s: participant %d: %+v, %+v", name, s, own, m)
			}
			total += own.Weight
			if rows, _ := parts[s].Train.Dims(); w.Weights == FedAvg && math.Abs(own.Weight-float64(rows)/140) > 1e-8 {
				t.Errorf("participant %d has weight %g of %d rows", s, own.Weight, rows)
			}
			if first := m.Privacy.History[0].Objective; !(m.Objective.Value > first) {
				t.Errorf("%s: objective %g at first, %g in the end", name, first, m.Objective.Value)
			}
			if len(r.Weightings) != 0 != w.Publish {
				t.Fatalf("%s: participant %d knows the weights of %d", name, s, len(r.Weightings))
			}
			for of, shown := range r.Weightings {
				h := results[of].Model.Manifest.Privacy.History
				if *shown != *h[len(h)-1].Weighting {
					t.Errorf("participant %d is told %+v of %d, which has %+v", s, shown, of, h[len(h)-1].Weighting)
				}
			}
		}
		if !(total > 1-1e-6 && total < 1+1e-6) {
			t.Errorf("%s: weights add up to %g", name, total)
		}
	}
}

// Who asks for weights by encoded rows, and for too few rounds to come to them, is told.
func TestNeverWeighted(t *testing.T) {
	for every, want := range map[int]bool{1: false, 2: true} {
		k := betaTask(byLatent)
		k.Rounds, k.Weighting.Every = 2, every
		for _, r := range inLockstep(t, k, unevenly()) {
			if got := strings.Contains(strings.Join(r.Warnings, ""), "by rows alone in all 2 rounds"); got != want {
				t.Errorf("after every %d rounds: got %q", every, r.Warnings)
			}
		}
	}
}

// Where the rule leaves nobody a weight, that is told of all whose weights are listed.
func TestWeightsByRowsAreListedAsThat(t *testing.T) {
	k := betaTask(byLatent)
	k.Rounds, k.Weighting.Every, k.Weighting.Offset = 2, 1, "-9"
	for s, r := range inLockstep(t, k, unevenly()) {
		for of, w := range r.Weightings {
			if !w.ByRows || !(w.Weight > 0) {
				t.Errorf("participant %d is told %+v of %d", s, *w, of)
			}
		}
	}
}

// Over the protocol with exact sums the model is that of plain sums but for their rounding.
func TestWeightedSumsAreThoseOfPlainAddition(t *testing.T) {
	k := betaTask(Weighting{Weights: FedAvg})
	k.Settings = consensus.Settings{Scheme: consensus.Exact, Fan: 1, Parity: true, Protect: k.Settings.Protect}
	parts := unevenly()
	plain, exact := inLockstep(t, k, parts), overNetwork(t, k, parts)
	for i, v := range parametersOf(plain[0]) {
		if w := parametersOf(exact[1])[i]; v-w > 1e-6 || w-v > 1e-6 {
			t.Fatalf("parameter %d is %g, by plain sums %g", i, w, v)
		}
	}
}

// Whoever was away, or was started again, holds the same model in the end.
func TestWeightedMemberComesBack(t *testing.T) {
	k := betaTask(byLatent)
	k.Rounds = 8
	parts := append(unevenly(), unevenly()[1:]...)
	for i := range parts {
		parts[i].Name = fmt.Sprint("p", i)
	}
	results := overNetwork(t, k, parts, netsim.Crash{Member: 3, When: netsim.When{Round: 2, For: 40e9}})
	for s, r := range results {
		if r.Model == nil || r.Last.Number != 8 || !slices.Equal(parametersOf(r), parametersOf(results[0])) {
			t.Errorf("participant %d has not come to the same model: round %d", s, r.Last.Number)
		}
	}
}

// A sum that fails leaves the model of the round before it.
func TestFailedSumsLeaveTheModel(t *testing.T) {
	k := betaTask(Weighting{Weights: FedAvg})
	k.Standardise, k.Normalise, k.Rounds = None, Standard, 2
	parts, _ := clusters(1)
	want, err := k.Train(t.Context(), collabdict.Solo{}, parts[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	k.Rounds = 5
	got, err := k.Train(t.Context(), &failing{left: 3 + 2*2}, parts[0], nil) // bounds, rows and weights first
	if !errors.Is(err, errLost) || got.Last.Number != 2 || !slices.Equal(parametersOf(got), parametersOf(want)) {
		t.Errorf("%v after round %d", err, got.Last.Number)
	}
	if w := strings.Join(want.Warnings, "; "); !strings.Contains(w, "own values are outside of 0 to 1 as trained on, which the decoder cannot come to") {
		t.Errorf("got %q", w)
	}
}

// Labels weight members as Ye et al. 2023 have it, whether the number of classes is given or
// agreed on; without labels, or with others, that is an error.
func TestWeightsByLabels(t *testing.T) {
	parts := unevenly()
	for s, classes := range [][]float64{{0}, {0, 1, 2, 3}, {1, 3}} {
		rows, _ := parts[s].Train.Dims()
		for i := range rows {
			parts[s].TrainLabels = append(parts[s].TrainLabels, classes[i%len(classes)])
		}
	}
	d := []float64{math.Log(4), 0, math.Log(2)}
	share := []float64{20. / 140, 60. / 140, 60. / 140}
	var raw []float64
	total := 0.0
	for s := range parts {
		raw = append(raw, max(0, share[s]-0.5*d[s]/(d[0]+d[1]+d[2])+0.1))
		total += raw[s]
	}
	for _, classes := range []int{0, 4} {
		k := betaTask(Weighting{Weights: FedDisco, Effect: 0.5, Offset: "0.1"})
		k.Rounds, k.Networks.Classes = 1, classes
		for s, r := range inLockstep(t, k, parts) {
			own := r.Model.Manifest.Privacy.History[0].Weighting
			if math.Abs(own.Weight-raw[s]/total) > 1e-9 || math.Abs(own.Discrepancy.Value-d[s]) > 1e-9 {
				t.Errorf("participant %d of %d classes: got %+v, want weight %g and discrepancy %g", s, classes, own, raw[s]/total, d[s])
			}
			if warned := strings.Contains(strings.Join(r.Warnings, "; "), "this participant has none, so that its rows change nothing"); warned != (raw[s] == 0) {
				t.Errorf("participant %d: got %q", s, r.Warnings)
			}
		}
	}
	for want, change := range map[string]func(*Task, *dataset.Participant){
		"label: want the column of the classes, got none: the weights feddisco follow": func(_ *Task, p *dataset.Participant) { p.TrainLabels = nil },
		"label of row 2: want a class from 0 to 1, as agreed, got 7":                   func(t *Task, p *dataset.Participant) { t.Networks.Classes, p.TrainLabels = 2, []float64{0, 7} },
		"want a class, a whole number from 0 to 999, got -1":                           func(_ *Task, p *dataset.Participant) { p.TrainLabels[1] = -1 },
	} {
		k, p := betaTask(Weighting{Weights: FedDisco, Effect: 0.5, Offset: "0.1"}), parts[0]
		p.TrainLabels = slices.Clone(p.TrainLabels)
		change(&k, &p)
		if _, err := k.Train(t.Context(), collabdict.Solo{}, p, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Where the rule leaves nobody a weight, or one member none, that is told.
func TestWeightsAreWarnedOf(t *testing.T) {
	w := byLatent
	w.Effect, w.Offset, w.Debias = 1000, "0", false
	k := betaTask(w)
	k.Networks.Beta = 100
	for _, r := range inLockstep(t, k, unevenly()) {
		said := strings.Join(r.Warnings, "; ")
		if !strings.Contains(said, "weights: with --effect 1000 and --offset 0 no member would have one, so each has its share of the rows") || !strings.Contains(said, "posterior collapse") {
			t.Errorf("got %q", said)
		}
	}
	k.Weighting.Offset = AutoOffset
	for s, r := range inLockstep(t, k, unevenly()) {
		h := r.Model.Manifest.Privacy.History
		if own := h[len(h)-1].Weighting; own.ByRows || !(own.Weight > 0) {
			t.Errorf("participant %d is weighted %+v with an automatic offset", s, own)
		}
	}
}

func TestOptionsOfWeighting(t *testing.T) {
	for want, change := range map[string]func(*Task){
		"components: the model bvae has none":                  func(t *Task) { t.Components = 3 },
		"tol: the model bvae has none":                         func(t *Task) { t.Tol = 1 },
		"local-steps: the model bvae has none":                 func(t *Task) { t.LocalSteps = 1 },
		"aggressive: the model bvae has none":                  func(t *Task) { t.Networks.Aggressive = 1 },
		"epsilon: the model bvae shows exact sums":             func(t *Task) { t.Privacy.Epsilon = 1 },
		"latent: want 1 to 65536 dimensions, got 0":            func(t *Task) { t.Networks.Latent = 0 },
		"hidden: want 1 to 65536 units in layer 2":             func(t *Task) { t.Networks.Hidden = []int{3, 0} },
		"batch: want at least 1 row, got 0":                    func(t *Task) { t.Networks.Batch = 0 },
		"rate: want a value above 0 and up to 1, got 2":        func(t *Task) { t.Networks.Rate = 2 },
		"beta: want a finite value above 0, got 0":             func(t *Task) { t.Networks.Beta = 0 },
		"epochs: want at least 1, got 0":                       func(t *Task) { t.Networks.Epochs = 0 },
		`weights: want fedavg, feddisco or latent, got "rows"`: func(t *Task) { t.Weighting.Weights = "rows" },
		"effect: the weights fedavg have none":                 func(t *Task) { t.Weighting = Weighting{Weights: FedAvg, Effect: 1} },
		"offset: the weights fedavg have none":                 func(t *Task) { t.Weighting = Weighting{Weights: FedAvg, Offset: "0"} },
		"effect: want a finite value above 0, got -1":          func(t *Task) { t.Weighting.Effect = -1 },
		`offset: want a finite number or auto, got "much"`:     func(t *Task) { t.Weighting.Offset = "much" },
		`offset: want a finite number or auto, got "Inf"`:      func(t *Task) { t.Weighting.Offset = "Inf" },
		"debias: the weights feddisco have none":               func(t *Task) { t.Weighting.Weights = FedDisco },
		"weigh-every: the weights feddisco have none":          func(t *Task) { t.Weighting.Weights, t.Weighting.Debias = FedDisco, false },
		"weigh-every: want at least 1 round, got 0":            func(t *Task) { t.Weighting.Every = 0 },
		"classes: the weights latent have none":                func(t *Task) { t.Networks.Classes = 3 },
		"classes: want 2 to 1000":                              func(t *Task) { t.Networks.Classes = 1 },
		"beta: the model dem has none":                         func(t *Task) { *t = mixtureTask(model.DEM); t.Networks.Beta = 1 },
		"epochs: the model dem has none":                       func(t *Task) { *t = mixtureTask(model.DEM); t.Networks.Epochs = 1 },
		"weights: the model dem has none":                      func(t *Task) { *t = mixtureTask(model.DEM); t.Weighting.Weights = FedAvg },
		"publish-weights: the model dem has none":              func(t *Task) { *t = mixtureTask(model.DEM); t.Weighting.Publish = true },
	} {
		k := betaTask(byLatent)
		change(&k)
		var e *Error
		if err := k.Validate(); !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	k := betaTask(byLatent)
	if err := k.Validate(); err != nil {
		t.Error(err)
	}
	base := fmt.Sprint(k.Fields(nil))
	for i, change := range []func(*Task){
		func(t *Task) { t.Networks.Beta = 3 }, func(t *Task) { t.Networks.Epochs = 6 },
		func(t *Task) { t.Weighting.Weights = FedDisco }, func(t *Task) { t.Weighting.Effect = 1 },
		func(t *Task) { t.Weighting.Offset = AutoOffset }, func(t *Task) { t.Weighting.Debias = false },
		func(t *Task) { t.Weighting.Every = 1 }, func(t *Task) { t.Weighting.Publish = false },
	} {
		k := betaTask(byLatent)
		change(&k)
		if fmt.Sprint(k.Fields(nil)) == base {
			t.Errorf("change %d is not in the fields", i)
		}
	}
	list := strings.Join(k.published(collabdict.Solo{}), "; ")
	for _, want := range []string{"how many members have the number of rows and the discrepancy of the data between which powers of two", "its weight, and how unlike the others' its data are"} {
		if !strings.Contains(list, want) {
			t.Errorf("published: %s", list)
		}
	}
}
