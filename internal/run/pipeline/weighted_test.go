package pipeline

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/netsim"
)

// unevenly returns three participants, the first with a third of the others' rows.
func unevenly() []dataset.Participant {
	parts, all := clusters(3)
	parts[0].Train = rows.InMemory(all.Slice(0, 20, 0, 2).(*mat.Dense))
	return parts
}

// arrays returns the values in a participant's model file.
func arrays(r *Result) (out []float64) {
	for _, a := range r.Model.Learned.Arrays() {
		out = append(out, a.Values...)
	}
	return out
}

// All members hold the same model, bit for bit, and again if they start again with the same
// secrets. Each knows its own weight, and everybody's where weights are published.
func TestWeightedTogether(t *testing.T) {
	for name, options := range map[string][]string{"fedavg": nil, "latent": latent} {
		parts, k := unevenly(), small(t, "bvae", options...)
		results, again := together(t, network(t, k), k, parts), together(t, network(t, k), k, parts)
		total := 0.0
		for s, r := range results {
			if !slices.Equal(arrays(r), arrays(results[0])) || !slices.Equal(arrays(r), arrays(again[s])) {
				t.Errorf("%s: participant %d has another model", name, s)
			}
			m := r.Model.Manifest
			own := m.Privacy.History[len(m.Privacy.History)-1].Weighting
			if own == nil || own.Discrepancy.Applies != (name == "latent") || m.TotalRows != 140 || m.Rounds != 6 {
				t.Fatalf("%s: participant %d: %+v, %+v", name, s, own, m)
			}
			total += own.Weight
			if rows, _ := parts[s].Train.Dims(); name == "fedavg" && math.Abs(own.Weight-float64(rows)/140) > 1e-8 {
				t.Errorf("participant %d has weight %g of %d rows", s, own.Weight, rows)
			}
			if first := m.Privacy.History[0].Objective; !(m.Objective.Value > first) {
				t.Errorf("%s: objective %g at first, %g in the end", name, first, m.Objective.Value)
			}
			if len(r.Weightings) != 0 != (name == "latent") {
				t.Fatalf("%s: participant %d knows the weights of %d", name, s, len(r.Weightings))
			}
			for of, shown := range r.Weightings {
				h := results[of].Model.Manifest.Privacy.History
				if told := h[len(h)-1].Weighting; shown.Weight != told.Weight || shown.Discrepancy != told.Discrepancy.Value || shown.Measured != told.Discrepancy.Applies || shown.ByRows != told.ByRows {
					t.Errorf("participant %d received %+v from %d, which has %+v", s, shown, of, told)
				}
			}
		}
		if !(total > 1-1e-6 && total < 1+1e-6) {
			t.Errorf("%s: weights add up to %g", name, total)
		}
	}
}

// With exact sums over the protocol, the model is that of plain sums up to rounding.
func TestWeightedSumsAreThoseOfPlainAddition(t *testing.T) {
	k := small(t, "bvae", "consensus.scheme=exact", "consensus.fan=1", "consensus.parity=true")
	parts := unevenly()
	plain, exact := together(t, lockstep.Run, k, parts), together(t, network(t, k), k, parts)
	sums := arrays(exact[1])
	for i, v := range arrays(plain[0]) {
		if w := sums[i]; v-w > 1e-6 || w-v > 1e-6 {
			t.Fatalf("parameter %d is %g, by plain sums %g", i, w, v)
		}
	}
}

// startedAgain fails unless the given member is started more than once, and the others once.
func startedAgain(t *testing.T, run grouptest.Runner, member int) grouptest.Runner {
	return func(ctx context.Context, size int, f func(context.Context, collabdict.Group, int) error) error {
		starts := make([]atomic.Int32, size)
		err := run(ctx, size, func(ctx context.Context, g collabdict.Group, rank int) error {
			starts[rank].Add(1)
			return f(ctx, g, rank)
		})
		for rank := range starts {
			if n := starts[rank].Load(); n > 1 != (rank == member) {
				t.Errorf("member %d is started %d times", rank, n)
			}
		}
		return err
	}
}

// A member that was down, or was started again, ends with the same model.
func TestWeightedMemberComesBack(t *testing.T) {
	k := small(t, "bvae", append(latent, "rounds=8")...)
	parts := append(unevenly(), unevenly()[1:]...)
	for i := range parts {
		parts[i].Name = fmt.Sprint("p", i)
	}
	results := together(t, startedAgain(t, network(t, k, netsim.Crash{Member: 3, When: netsim.When{Round: 2, For: 40e9}}), 3), k, parts)
	for s, r := range results {
		if r.Model == nil || r.Last.Number != 8 || !slices.Equal(arrays(r), arrays(results[0])) {
			t.Errorf("participant %d has not come to the same model: round %d", s, r.Last.Number)
		}
	}
}

// A member that was down ends with the same weights, and with its own conditions.
func TestConditionedMemberComesBack(t *testing.T) {
	k := small(t, "bvae", append(latent, "condition=cgau")...)
	parts := append(unevenly(), unevenly()[1:]...)
	results := together(t, startedAgain(t, network(t, k, netsim.Crash{Member: 3, When: netsim.When{Round: 2, For: 40e9}}), 3), k, parts)
	for s, r := range results {
		if !slices.Equal(arrays(r), arrays(results[0])) || r.Last.Number != 6 {
			t.Errorf("participant %d has not come to the same weights: round %d", s, r.Last.Number)
		}
		if slices.Max(r.Model.Conditions()) == 0 {
			t.Errorf("participant %d has no conditions", s)
		}
	}
}

// For a new participant, conditions fitted to its rows fit them better than zero conditions. It
// gets a threshold of its own, and the shared weights do not change.
func TestAdaptCodesToAFewRows(t *testing.T) {
	k, parts := small(t, "bvae", "condition=cgau", "standardise=own"), unevenly()
	m := together(t, network(t, k), k, append(parts, unevenly()[1:]...))[0].Model
	weights, before := slices.Clone(m.Personal().Shared()), m.Manifest.Threshold
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
	if !slices.Equal(m.Personal().Shared(), weights) {
		t.Error("weights have changed")
	}
	few.TrainLabels = make([]float64, rows)
	if _, err := Adapt(t.Context(), m, few, 50); err == nil || !strings.Contains(err.Error(), "adapts to rows without labels") {
		t.Errorf("got %v", err)
	}
}
