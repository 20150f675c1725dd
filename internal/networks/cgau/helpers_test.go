package cgau

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// small returns the settings of a model of few parameters that learns fast.
func small() Config {
	return Config{Inputs: 3, Classes: 2, Hidden: []int{5, 4}, Dropout: 0.2, Rate: 0.1, Momentum: 0.5, Batch: 8, Steps: 4, Seed: 3}
}

// draw returns rows whose class is the sign of the first value, or, for every second member,
// the opposite sign.
func draw(rng *rand.Rand, n, rank int) (r Rows) {
	for range n {
		x := []float32{2*rng.Float32() - 1, rng.Float32(), rng.Float32()}
		r.Values = append(r.Values, x...)
		class := rank % 2
		if x[0] > 0 {
			class = 1 - class
		}
		r.Classes = append(r.Classes, class)
	}
	return r
}

// owns returns members with different numbers of rows; the first has fewer than a round uses.
func owns() (out []Own) {
	rng := rand.New(rand.NewPCG(1, 7))
	for rank, n := range []int{20, 60, 90} {
		out = append(out, Own{Rows: draw(rng, n, rank), Held: draw(rng, 5*rank, rank), Seed: uint64(rank) + 10})
	}
	return out
}

func together(t *testing.T, run grouptest.Runner, c Config, own []Own, rounds int) ([]*Learner, []Round) {
	t.Helper()
	begin := func(_ context.Context, _ collabdict.Group, rank int) (*Learner, error) {
		return NewLearner(c, own[rank]), nil
	}
	return grouptest.Train(t, run, len(own), rounds, begin, shared)
}

func inLockstep(t *testing.T, c Config, own []Own, rounds int) ([]*Learner, []Round) {
	t.Helper()
	return together(t, lockstep.Run, c, own, rounds)
}

// shared returns the values that have the same bits at all members: weights and biases of the
// last round and of the best.
func shared(l *Learner) []float32 {
	return slices.Concat(l.model.net.Shared.Values, l.best.Shared)
}
