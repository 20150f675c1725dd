package beta

import (
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
)

// counts of 64 powers of two, starting with the power leastPower
const powers, leastPower = 64, -31

// A member does not train for a round that began without it, and has no part in it, whether or
// not the round is over. If no member of a round has a weight, nothing changes.
func TestRoundWithoutOwnPart(t *testing.T) {
	l := NewLearner(small(Weighting{}), owns(1)[0])
	if err := l.Start(t.Context(), collabdict.Solo{}); err != nil {
		t.Fatal(err)
	}
	first := slices.Clone(l.Model().Parameters().Values)
	n := len(first)
	counts := make([]float64, powers*(len(l.model.all.Shapes)+1))
	total := make([]float64, n+2)
	total[0], total[n], total[n+1] = 0.25, 3, 0.5
	for _, over := range []bool{true, false} {
		g := &grouptest.Ahead{Early: [][]float64{counts}, Answers: [][]float64{total}}
		if over {
			g.Early = append(g.Early, total)
		}
		r, err := l.Round(t.Context(), g)
		if err != nil || r.Loss != 6 || r.Weight != 0.5 {
			t.Fatalf("got %+v, %v", r, err)
		}
		if over != (g.Asked == nil) || slices.ContainsFunc(g.Asked, func(v float64) bool { return v != 0 }) {
			t.Errorf("over %t: got a part of its own %v", over, g.Asked)
		}
	}
	want := slices.Clone(first)
	want[0] += 0.5
	want[0] += 0.5
	if got := l.Model().Parameters().Values; !slices.Equal(got, want) {
		t.Errorf("got parameters %v, want %v", got[:3], want[:3])
	}
	clear(total[n+1:])
	if r, err := l.Round(t.Context(), &grouptest.Ahead{Early: [][]float64{counts, total}}); err != nil || r != (Round{Number: 3}) || !slices.Equal(l.Model().Parameters().Values, want) {
		t.Errorf("got %+v, %v, and parameters %v", r, err, l.Model().Parameters().Values[:3])
	}
	for _, missed := range [][][]float64{{counts[1:]}, {counts, total[1:]}} {
		if _, err := l.Round(t.Context(), &grouptest.Ahead{Early: missed}); err == nil {
			t.Error("want an error for a sum of another length")
		}
	}
}

// A restarted member trains its conditions again in rounds in which it took part, and in no
// others. Without conditions it follows the totals.
func TestRoundsThatAreDecided(t *testing.T) {
	for name, of := range map[string]struct {
		condition bool
		in        bool
		trained   bool
	}{
		"conditions, in":     {true, true, true},
		"conditions, not in": {true, false, false},
		"none, in":           {false, true, false},
	} {
		c := small(Weighting{})
		c.Conditioned = of.condition
		l := NewLearner(c, owns(1)[0])
		if err := l.Start(t.Context(), collabdict.Solo{}); err != nil {
			t.Fatal(err)
		}
		counts := make([]float64, powers*(len(l.model.all.Shapes)+1))
		for at := 10 - leastPower; at < len(counts); at += powers {
			counts[at] = 1
		}
		totals := [][]float64{counts, make([]float64, len(parameters(l))+2)}
		totals[1][len(parameters(l))+1] = 1
		g := &grouptest.Ahead{Early: totals, Answers: totals, In: of.in}
		first := slices.Clone(parameters(l))
		if _, err := l.Round(t.Context(), g); err != nil || !slices.Equal(parameters(l), first) {
			t.Errorf("%s: got %v and parameters %v", name, err, parameters(l)[:3])
		}
		zero := !slices.ContainsFunc(l.State().Conditions, func(v float32) bool { return v != 0 })
		if zero == of.trained || (g.Asked == nil) == of.trained {
			t.Errorf("%s: got conditions %v, and brings %v", name, l.State().Conditions, g.Asked)
		}
	}
}

// If a member was absent when the others set their weights, and has more rows than all of them,
// it counts no more than they do together.
func TestWeightOfAnAbsentMember(t *testing.T) {
	l := NewLearner(small(Weighting{}), owns(1)[0])
	counts := make([]float64, 2*powers)
	counts[4-leastPower] = 1 // fewer than 16 rows
	g := &grouptest.Ahead{Answers: [][]float64{counts, {10}, {1}}}
	if err := l.Start(t.Context(), g); err != nil || l.Standing().Weight.P != 1 {
		t.Errorf("got %+v, %v", l.Standing(), err)
	}
}
