package adaptation

import (
	"context"
	"math"
	"testing"

	"github.com/collabdict/collabdict/lab/internal/study"
)

// tiny runs the experiment at its smallest size.
func tiny(ctx context.Context, l *study.Lab) error {
	p := planFor(l)
	p.shuffles, p.members, p.rounds, p.few, p.xor = []float64{0, 1}, 3, 3, []int{5}, 1
	p.model.Hidden = []int{4}
	for _, s := range p.sets {
		if s.axes > 0 {
			s.axes = 4
		}
	}
	return p.run(ctx, l)
}

// One conditional gated unit solves the exclusive or, and the unit that is drawn computes what its
// model computes.
func TestExclusiveOr(t *testing.T) {
	models, accuracy, err := solvers[0].solve(t.Context(), 0)
	if err != nil || accuracy < solved {
		t.Fatalf("accuracy is %g, %v", accuracy, err)
	}
	for k, m := range models {
		u := unitOf(m)
		for _, at := range [][2]float64{{0.3, 1}, {-1, -0.5}, {0, 0}} {
			if got, want := u.classified(at[0], at[1], 1, 1), probability(m, at[0], at[1]); math.Abs(got-want) > 1e-5 {
				t.Errorf("member %d at %v: got %g, want %g", k, at, got, want)
			}
		}
	}
	if _, accuracy, err := solvers[3].solve(t.Context(), 0); err != nil || accuracy > 0.9 {
		t.Errorf("one unit of a plain network has accuracy %g, %v", accuracy, err)
	}
}
