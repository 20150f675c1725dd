package task

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/lockstep"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/netsim"
)

// Of a β-VAE with conditions all hold the same weights and biases, and each conditions of its
// own, for which there is no place in what leaves a member.
func TestConditionsOfCodesDoNotLeave(t *testing.T) {
	k, parts := betaTask(Weighting{Weights: FedAvg}), unevenly()
	k.Networks.Condition, k.Standardise, k.Normalise, k.Rounds = Conditioned, None, Standard, 2
	all, results := make([]*watched, len(parts)), make([]*Result, len(parts))
	err := lockstep.Run(t.Context(), len(parts), func(ctx context.Context, g collabdict.Group, s int) (err error) {
		all[s] = &watched{Group: g}
		own := k
		own.Noise = rand.NewPCG(7, uint64(s))
		results[s], err = own.Train(ctx, all[s], parts[s], nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	first := results[0].Model.Scorer.(model.BetaVAE)
	shared, shapes := len(first.Shared().Values), len(first.Shared().Shapes)
	want := []int{2 * 64, 1, 1} // bounds of rows and discrepancies, rows, weights
	for range k.Rounds {
		want = append(want, 64*(shapes+1), shared+2)
	}
	for s, w := range all {
		got := w.lengths()
		if !slices.Equal(got, want) {
			t.Errorf("member %d sends vectors of %v values, want %v", s, got, want)
		}
		own := results[s].Model.Scorer.(model.BetaVAE)
		if !slices.Equal(own.Shared().Values, first.Shared().Values) || len(own.Conditions().Values) != 2*2*(6+4) {
			t.Errorf("member %d has other weights, or %d conditions", s, len(own.Conditions().Values))
		}
		if s > 0 && slices.Equal(own.Conditions().Values, first.Conditions().Values) {
			t.Errorf("member %d has the conditions of another", s)
		}
	}
}

// What members can work out of conditions, and of losses, is listed.
func TestPublishedOfConditions(t *testing.T) {
	adaptive := betaTask(Weighting{Weights: FedAvg})
	adaptive.Networks.Condition = Conditioned
	for _, k := range []Task{adaptive, classifierTask()} {
		list := strings.Join(k.published(collabdict.Solo{}), "\n")
		if !strings.Contains(list, "the mean of all members' conditions") || !strings.Contains(list, "the loss") {
			t.Errorf("%s: got %s", k.Model, list)
		}
	}
	if list := strings.Join(betaTask(Weighting{Weights: FedAvg}).published(collabdict.Solo{}), "\n"); strings.Contains(list, "conditions") {
		t.Errorf("got %s", list)
	}
}

// A member that was away comes to the same weights, with conditions of its own.
func TestConditionedMemberComesBack(t *testing.T) {
	k := betaTask(byLatent)
	k.Networks.Condition = Conditioned
	parts := append(unevenly(), unevenly()[1:]...)
	results := overNetwork(t, k, parts, netsim.Crash{Member: 3, When: netsim.When{Round: 2, For: 40e9}})
	for s, r := range results {
		if !slices.Equal(parametersOf(r), parametersOf(results[0])) || r.Last.Number != k.Rounds {
			t.Errorf("participant %d has not come to the same weights: round %d", s, r.Last.Number)
		}
		if slices.Max(r.Model.Conditions()) == 0 {
			t.Errorf("participant %d has no conditions", s)
		}
	}
}

// A participant that has not trained is better off with conditions fitted to its rows, and
// has a threshold by them; what is shared stays.
func TestAdaptCodesToAFewRows(t *testing.T) {
	k, parts := betaTask(Weighting{Weights: FedAvg}), unevenly()
	k.Networks.Condition, k.Standardise = Conditioned, Own
	results := overNetwork(t, k, append(parts, unevenly()[1:]...))
	m, of := results[0].Model, results[0].Model.Scorer.(model.BetaVAE)
	weights, before := slices.Clone(of.Shared().Values), m.Manifest.Threshold
	few := parts[len(parts)-1]
	few.Name, few.TrainLabels, few.Test, few.TestLabels = "new", nil, few.Train, nil
	loglik := func() float64 {
		t.Helper()
		e, err := Evaluate(m, few)
		if err != nil {
			t.Fatal(err)
		}
		return e.Loglik.Value
	}
	if _, err := Adapt(t.Context(), m, few, 50); err != nil {
		t.Fatal(err)
	}
	rows, _ := few.Train.Dims()
	if m.Manifest.Participant != "new" || m.Manifest.Rows != rows || m.Manifest.Threshold == before {
		t.Errorf("got %s with %d rows and threshold %g, want new with %d and another than %g", m.Manifest.Participant, m.Manifest.Rows, m.Manifest.Threshold, rows, before)
	}
	fitted := loglik()
	clear(m.Conditions())
	if zero := loglik(); !(fitted > zero) {
		t.Errorf("mean log-likelihood %.3f fitted, %.3f at 0", fitted, zero)
	}
	if !slices.Equal(of.Shared().Values, weights) {
		t.Error("weights have changed")
	}
	few.TrainLabels = make([]float64, rows)
	if _, err := Adapt(t.Context(), m, few, 50); err == nil || !strings.Contains(err.Error(), "whatever their labels are") {
		t.Errorf("got %v", err)
	}
}
