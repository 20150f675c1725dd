package beta

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/networks/average"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// departs returns everything that leaves member 0 in a round that starts with these conditions.
func departs(t *testing.T, c Config, conditions []float32) (left [][]float64) {
	t.Helper()
	own := owns(1)
	begin := func(ctx context.Context, g collabdict.Group, rank int) (*Learner, error) {
		l := NewLearner(c, own[rank])
		if rank == 0 {
			copy(l.model.own.Values, conditions)
		}
		return l, l.Start(ctx, g)
	}
	grouptest.Train(t, grouptest.Watch(lockstep.Run, &left), len(own), 1, begin, parameters)
	return left
}

// Only changes of weights and biases, a loss and a weight leave a member. If a step is too
// small to change any weight, other conditions change only the loss.
func TestConditionsStay(t *testing.T) {
	c := conditioned(Weighting{})
	n := len(NewModel(c).Parameters().Values)
	conditions := make([]float32, len(NewModel(c).Conditions().Values))
	for i := range conditions {
		conditions[i] = float32(i%5) - 2
	}
	c.Rate = 1e-30
	a, b := departs(t, c, nil), departs(t, c, conditions)
	last := len(a) - 1
	if len(a[last]) != n+2 {
		t.Fatalf("%d values leave, want %d", len(a[last]), n+2)
	}
	for i, v := range a[last] {
		if same := v == b[last][i]; same == (i == n) || i < n && v != 0 {
			t.Errorf("value %d of %d is %g, with other conditions %g", i, n, v, b[last][i])
		}
	}
	for i := range last - 1 { // all sums except the counts of changes below each power of two
		if !slices.Equal(a[i], b[i]) {
			t.Errorf("sum %d: got %v, with other conditions %v", i, a[i], b[i])
		}
	}
	// Steps that change weights are taken at the own conditions, and depend on them.
	c.Rate = 0.01
	if a, b := departs(t, c, nil), departs(t, c, conditions); slices.Equal(a[last][:n], b[last][:n]) {
		t.Error("changes are the same at any conditions")
	}
}

// Changes beyond all bounds are refused, with and without conditions, and conditions stay as
// before.
func TestDivergedTrainingIsRefused(t *testing.T) {
	for _, condition := range []bool{false, true} {
		c := small(Weighting{})
		c.Conditioned, c.Rate = condition, 1e12
		l := NewLearner(c, owns(1)[0])
		if err := l.Start(t.Context(), collabdict.Solo{}); err != nil {
			t.Fatal(err)
		}
		_, err := l.Round(t.Context(), collabdict.Solo{})
		if err == nil || !strings.Contains(err.Error(), "diverged") || slices.ContainsFunc(l.State().Conditions, func(v float32) bool { return v != 0 }) {
			t.Errorf("got %v and conditions %v", err, l.State().Conditions)
		}
	}
}

// All members know the weighted mean of all conditions.
func TestMeanConditionIsKnown(t *testing.T) {
	c := conditioned(Weighting{})
	all, _ := inLockstep(t, c, owns(1), 4)
	want := make([]float32, len(all[0].State().Conditions))
	moved := float32(0)
	for _, l := range all {
		for i, v := range l.State().Conditions {
			want[i] += float32(l.Standing().Weight.P) * v
			moved = max(moved, v, -v)
		}
	}
	m := NewModel(c)
	average.SetMeanColumn(m.Conditions(), m.Parameters(), all[0].Model().Parameters(), 1)
	if far := grouptest.Farthest(m.Conditions().Values, want); far > 1e-5 || moved < 0.01 {
		t.Errorf("the mean of all conditions differs by %g, where conditions are up to %g", far, moved)
	}
}
