package cgau

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/testkit/grouptest"
)

// The group learns the average of all models by rows. Conditions stay at their members, and all
// members hold the same shared bits.
func TestGroupAveragesModels(t *testing.T) {
	const rounds = 6
	for _, plain := range []bool{false, true} {
		c, own := small(), owns()
		c.Plain = plain
		m := NewModel(c)
		values := slices.Clone(m.Shared().Values)
		conditions := make([][]float32, len(own))
		best, at := math.Inf(1), 0
		for round := range rounds {
			mean, loss, rows := make([]float64, len(values)), 0.0, 0
			next := slices.Clone(conditions)
			for k, o := range own {
				copy(m.Shared().Values, values)
				clear(m.Conditions().Values)
				copy(m.Conditions().Values, conditions[k])
				held, err := m.Evaluate(o.Held)
				if err != nil {
					t.Fatal(err)
				}
				loss += held.Loss
				rows += held.Rows
				l := &Learner{own: o, rounds: round}
				if _, err := m.train(t.Context(), o.Rows, newDescent(m), l.source(ordering), l.source(dropping)); err != nil {
					t.Fatal(err)
				}
				next[k] = slices.Clone(m.Conditions().Values)
				for i, v := range m.Shared().Values {
					mean[i] += float64(len(o.Classes)) / 170 * float64(v)
				}
			}
			if loss /= float64(rows); loss < best {
				best, at = loss, round+1
			}
			conditions = next
			for i, v := range mean {
				values[i] = float32(v)
			}
		}
		all, known := inLockstep(t, c, own, rounds)
		if far := grouptest.Farthest(all[0].Model().Shared().Values, values); far > 1e-5 {
			t.Errorf("parameters differ by %g from the average of all models", far)
		}
		for k, m := range all {
			if far := grouptest.Farthest(m.Model().Conditions().Values, conditions[k]); far > 1e-5 || len(conditions[k]) != map[bool]int{false: 18, true: 0}[plain] {
				t.Errorf("conditions of member %d differ by %g", k, far)
			}
		}
		if got := all[0].Best(); got.Round != at || math.Abs(got.Loss-best) > 1e-5 || math.Abs(known[at-1].Held-best) > 1e-5 {
			t.Errorf("the best is %+v, want round %d with %g", got, at, best)
		}
		if r := known[rounds-1]; r.Rows != 170 || r.Number != rounds || !(r.Loss < known[0].Loss) {
			t.Errorf("got round %+v", r)
		}
	}
}

// A resumed training has the same bits, with any number of processors.
func TestTrainingResumesFromAState(t *testing.T) {
	c, own := small(), owns()
	create := func(rank int) (*Learner, error) { return NewLearner(c, own[rank]), nil }
	grouptest.GoesOn(t, len(own), create, nil, shared)
	l := NewLearner(c, own[0])
	if err := l.Restore(State{Shared: make([]float32, 3)}); err == nil || !strings.Contains(err.Error(), "weights and biases and 18 conditions, got 3 and 0") {
		t.Errorf("got %v", err)
	}
}
