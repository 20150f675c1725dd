package cgau

import (
	"context"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// departs returns everything that leaves member 0 in a round that starts with these conditions.
func departs(t *testing.T, c Config, conditions []float32) (left [][]float64) {
	t.Helper()
	own := owns()
	own[0].Held = own[2].Held
	begin := func(_ context.Context, _ collabdict.Group, rank int) (*Learner, error) {
		l := NewLearner(c, own[rank])
		if rank == 0 {
			copy(l.model.net.Private.Values, conditions)
		}
		return l, nil
	}
	grouptest.Train(t, grouptest.Watch(lockstep.Run, &left), len(own), 1, begin, shared)
	return left
}

// Only changes of shared parameters, losses and numbers of rows leave a member. If a step is
// too small to change any weight, other conditions change only the losses.
func TestConditionsStay(t *testing.T) {
	c := small()
	n := len(NewModel(c).Shared().Values)
	conditions := make([]float32, len(NewModel(c).Conditions().Values))
	for i := range conditions {
		conditions[i] = float32(i%5) - 2
	}
	c.Rate, c.ConditionRate = 1e-30, 0.1
	a, b := departs(t, c, nil), departs(t, c, conditions)
	if len(a) != 2 || len(a[1]) != n+besides+1 {
		t.Fatalf("%d vectors leave, the last of %d values, want 2, and %d", len(a), len(a[1]), n+besides+1)
	}
	for i, v := range a[1] {
		loss := i == n+trained || i == n+heldLoss
		if same := v == b[1][i]; same == loss || i < n && v != 0 {
			t.Errorf("value %d of %d is %g, with other conditions %g", i, n, v, b[1][i])
		}
	}
	// Steps that change weights are taken at the own conditions, and depend on them.
	c.Rate = 0.1
	if a, b := departs(t, c, nil), departs(t, c, conditions); slices.Equal(a[1][:n], b[1][:n]) {
		t.Error("changes are the same at any conditions")
	}
}

// All members know the mean of all conditions. If a member's changes were known, its conditions
// would be, too.
func TestMeanConditionIsKnown(t *testing.T) {
	for _, c := range []Config{small(), {Inputs: 3, Classes: 2, Hidden: []int{4}, Rate: 0.1, ConditionRate: 0.025, Momentum: 0.9, Seed: 1}} {
		own := owns()
		for _, own := range [][]Own{own, own[:1]} {
			all, _ := inLockstep(t, c, own, 6)
			want, rows := make([]float32, len(all[0].Model().Conditions().Values)), float32(0)
			for k, m := range all {
				weight := float32(len(own[k].Classes))
				rows += weight
				for i, v := range m.Model().Conditions().Values {
					want[i] += weight * v
				}
			}
			moved := float32(0)
			for i := range want {
				want[i] /= rows
				moved = max(moved, want[i], -want[i])
			}
			m := NewModel(c)
			copy(m.Shared().Values, all[0].Model().Shared().Values)
			m.MeanCondition()
			if far := grouptest.Farthest(m.Conditions().Values, want); far > 1e-6 || moved < 0.001 {
				t.Errorf("the mean of all conditions differs by %g, of at most %g", far, moved)
			}
		}
	}
	plain := small()
	plain.Plain = true
	NewModel(plain).MeanCondition() // which has none
}
