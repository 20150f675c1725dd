package cgau

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/lockstep"
)

// small is a model of few parameters that learns fast.
func small() Config {
	return Config{Inputs: 3, Classes: 2, Hidden: []int{5, 4}, Dropout: 0.2, Rate: 0.1, Momentum: 0.5, Batch: 8, Steps: 4, Seed: 3}
}

// draw returns rows whose class is by the sign of the first value, or, for every second
// member, by the opposite sign.
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

// owns are members with rows of different numbers: of the first, fewer than a round's.
func owns() (out []Own) {
	rng := rand.New(rand.NewPCG(1, 7))
	for rank, n := range []int{20, 60, 90} {
		out = append(out, Own{Rows: draw(rng, n, rank), Held: draw(rng, 5*rank, rank), Seed: uint64(rank) + 10})
	}
	return out
}

// member is what one holds in the end.
type member struct {
	*Learner
	rounds []Round
}

// runner runs members in a group.
type runner func(ctx context.Context, size int, f func(ctx context.Context, g collabdict.Group, rank int) error) error

func together(t *testing.T, run runner, c Config, own []Own, rounds int) []*member {
	t.Helper()
	all := make([]*member, len(own))
	err := run(t.Context(), len(own), func(ctx context.Context, g collabdict.Group, rank int) error {
		l, err := NewLearner(c, own[rank])
		if err != nil {
			return err
		}
		m := &member{Learner: l}
		for range rounds {
			r, err := l.Round(ctx, g)
			if err != nil {
				return err
			}
			m.rounds = append(m.rounds, r)
		}
		all[rank] = m
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func inLockstep(t *testing.T, c Config, own []Own, rounds int) []*member {
	t.Helper()
	return together(t, lockstep.Run, c, own, rounds)
}

// sameBits fails unless all hold the same of what is shared.
func sameBits(t *testing.T, all []*member) {
	t.Helper()
	for rank, m := range all {
		if !slices.Equal(m.rounds, all[0].rounds) || !slices.Equal(m.Model().Shared().Values, all[0].Model().Shared().Values) || !slices.Equal(m.Best().Shared, all[0].Best().Shared) {
			t.Fatalf("member %d does not hold what member 0 does: rounds %v and %v", rank, m.rounds, all[0].rounds)
		}
	}
}

// farthest returns the largest difference of parameters.
func farthest(a, b []float32) (most float32) {
	for i := range a {
		most = max(most, a[i]-b[i], b[i]-a[i])
	}
	return most
}
