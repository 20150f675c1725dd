package task

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/netsim"
	"github.com/collabdict/collabdict/vae/multitask"
)

func networkTask() Task {
	t := example()
	t.Model, t.Components, t.Rounds, t.Tol, t.Lambda0, t.Standardise = model.MTVAE, 0, 12, 0, 0, None
	t.LocalSteps, t.Networks = 5, Networks{Latent: 2, Hidden: []int{6, 4}, Batch: 20, Rate: 0.01}
	return t
}

// networksTogether trains over the protocol, each participant with a secret of its own.
func networksTogether(t *testing.T, k Task) []*Result {
	t.Helper()
	parts, _ := clusters(3)
	net, err := netsim.New(netsim.Config{Names: netsim.Names(len(parts)), Settings: k.Settings, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	results := make([]*Result, len(parts))
	_, err = net.Run(t.Context(), func(ctx context.Context, s int, g collabdict.Group) (err error) {
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

func networksOf(r *Result) *multitask.Model { return r.Model.Scorer.(model.AutoEncoder).Model }

// All hold the same decoder, bit for bit, and encoders of their own, which are the same
// again with the same secrets. What the encoder tells stands in the history.
func TestNetworksTogether(t *testing.T) {
	results, again := networksTogether(t, networkTask()), networksTogether(t, networkTask())
	first := networksOf(results[0])
	for s, r := range results {
		m := networksOf(r)
		if !slices.Equal(m.Decoder.Shared.Values, first.Decoder.Shared.Values) {
			t.Errorf("participant %d has another decoder", s)
		}
		if s > 0 && slices.Equal(m.Encoder.Shared.Values, first.Encoder.Shared.Values) {
			t.Errorf("participant %d has the encoder of another", s)
		}
		if !slices.Equal(m.Encoder.Shared.Values, networksOf(again[s]).Encoder.Shared.Values) {
			t.Errorf("participant %d comes to another encoder when it begins again", s)
		}
		of := r.Model.Manifest
		last := of.Privacy.History[len(of.Privacy.History)-1]
		if of.TotalRows != 180 || of.Rounds != 12 || last.Encoder == nil || last.Encoder.Latent != 2 || last.Diversity != nil {
			t.Errorf("participant %d: %+v, %+v", s, of, last.Encoder)
		}
		if of.Objective.Value <= of.Privacy.History[0].Objective {
			t.Errorf("participant %d: objective %v, %g in the first round", s, of.Objective, of.Privacy.History[0].Objective)
		}
	}
}

// The threshold lets the agreed share of the own rows lie above it, and a row that is far
// from all others is above it.
func TestNetworksTellWhatIsFar(t *testing.T) {
	k := networkTask()
	k.Rounds, k.FalseAlarm = 60, 0.05
	parts, all := clusters(1)
	r, err := k.Train(t.Context(), collabdict.Solo{}, parts[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	above := 0
	for _, s := range score(r.Model, all) {
		if s > r.Model.Manifest.Threshold {
			above++
		}
	}
	if above != 3 {
		t.Errorf("%d of 60 rows are above the threshold, want 3", above)
	}
	all.Set(0, 1, 40)
	if s := score(r.Model, all)[0]; !(s > r.Model.Manifest.Threshold) {
		t.Errorf("score %g, threshold %g", s, r.Model.Manifest.Threshold)
	}
}

// A sum that fails leaves the networks of the round before it, not what the steps towards
// it have made of them.
func TestFailedSumsLeaveNetworks(t *testing.T) {
	for _, steps := range []int{0, 3} {
		k := networkTask()
		k.LocalSteps, k.Rounds = steps, 2
		parts, _ := clusters(1)
		want, err := k.Train(t.Context(), collabdict.Solo{}, parts[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		k.Rounds = 5
		got, err := k.Train(t.Context(), &failing{left: 2}, parts[0], nil)
		if !errors.Is(err, errLost) || got.Last.Number != 2 {
			t.Fatalf("%d steps: %v after round %d", steps, err, got.Last.Number)
		}
		if g, w := networksOf(got), networksOf(want); !reflect.DeepEqual(g.Encoder.Shared.Values, w.Encoder.Shared.Values) || !reflect.DeepEqual(g.Decoder.Shared.Values, w.Decoder.Shared.Values) {
			t.Errorf("%d steps: other networks than of two rounds", steps)
		}
	}
}

func TestCollapseIsTold(t *testing.T) {
	l := &sharedDecoder{learner: &multitask.Learner{}, health: &multitask.Health{Information: 0.01, Latent: 2}}
	if w := l.state().warnings; w != nil {
		t.Errorf("got %q", w)
	}
	l.health.Collapsed = true
	if w := strings.Join(l.state().warnings, ""); !strings.Contains(w, "posterior collapse: the encoder tells 0.01 nats of a row, with 0 of 2") {
		t.Errorf("got %q", w)
	}
}

func TestOptionsOfNetworks(t *testing.T) {
	for want, change := range map[string]func(*Task){
		"components: the model mtvae has none":               func(t *Task) { t.Components = 3 },
		"tol: the model mtvae has none":                      func(t *Task) { t.Tol = 1 },
		"covariance: the model mtvae has none":               func(t *Task) { t.Covariance = "full" },
		"latent: want 1 to 65536 dimensions, got 0":          func(t *Task) { t.Networks.Latent = 0 },
		"hidden: want 1 to 65536 units in layer 2":           func(t *Task) { t.Networks.Hidden = []int{3, 0} },
		"batch: want at least 1 row, got 0":                  func(t *Task) { t.Networks.Batch = 0 },
		"rate: want a value above 0 and up to 1, got 0":      func(t *Task) { t.Networks.Rate = 0 },
		"aggressive: want at least 0 steps, got -1":          func(t *Task) { t.Networks.Aggressive = -1 },
		"local-steps: want at least 1, or 0":                 func(t *Task) { t.LocalSteps = -1 },
		"epsilon: the model mtvae shows exact sums":          func(t *Task) { t.Privacy.Epsilon = 1 },
		"latent: the model dem has none":                     func(t *Task) { *t = mixtureTask(model.DEM); t.Networks.Latent = 1 },
		"hidden: the model dem has none":                     func(t *Task) { *t = mixtureTask(model.DEM); t.Networks.Hidden = []int{1} },
		"components: want at least 1, got 0":                 func(t *Task) { *t = mixtureTask(model.DEM); t.Components = 0 },
		"local-steps: the model dem has none":                func(t *Task) { *t = mixtureTask(model.DEM); t.LocalSteps = 1 },
		"components: the model mtvae takes one number, got ": func(t *Task) { t.MostComponents = 4 },
	} {
		k := networkTask()
		change(&k)
		var e *Error
		if err := k.Validate(); !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	k := networkTask()
	if err := k.Validate(); err != nil {
		t.Error(err)
	}
	base := fmt.Sprint(k.Fields(nil))
	for i, change := range []func(*Task){
		func(t *Task) { t.Networks.Latent = 3 }, func(t *Task) { t.Networks.Hidden = []int{6} },
		func(t *Task) { t.Networks.Batch = 5 }, func(t *Task) { t.Networks.Rate = 1 },
		func(t *Task) { t.Networks.Aggressive = 5 }, func(t *Task) { t.LocalSteps = 0 },
	} {
		k := networkTask()
		change(&k)
		if fmt.Sprint(k.Fields(nil)) == base {
			t.Errorf("change %d is not in the fields", i)
		}
	}
	if list := strings.Join(k.published(collabdict.Solo{}), "; "); !strings.Contains(list, "power of two above the number of own rows") || strings.Contains(list, "root mean square") {
		t.Errorf("published: %s", list)
	}
	if w := k.ShownWarnings(); w != nil {
		t.Errorf("got %q", w)
	}
}
