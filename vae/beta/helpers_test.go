package beta

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/lockstep"
)

// small is a model of few parameters that learns fast.
func small(w Weighting) Config {
	return Config{Inputs: 6, Hidden: []int{8, 5}, Latent: 2, Beta: 0.1, Rate: 0.01, Batch: 8, Epochs: 2, Seed: 3, Weights: w}
}

// owns are members with rows of different numbers and classes: of a class, one value is
// near 1 and the others near 0.
func owns(seed uint64) []Own {
	rng := rand.New(rand.NewPCG(seed, 7))
	var out []Own
	for rank, classes := range [][]int{{0}, {1, 2}, {0, 1, 2, 3, 4, 5}} {
		o := Own{Seed: uint64(rank) + 10, Labels: make([]int, 6)}
		for i := range 30 + 10*rank {
			class := classes[i%len(classes)]
			o.Labels[class]++
			for j := range 6 {
				v := 0.05 * rng.Float32()
				if j == class {
					v = 1 - v
				}
				o.Rows = append(o.Rows, v)
			}
		}
		out = append(out, o)
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
		if err := l.Start(ctx, g); err != nil {
			return err
		}
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
	return together(t, lockstep.Run, c, own, rounds)
}

// sameBits fails unless all hold the same.
func sameBits(t *testing.T, all []*member) {
	t.Helper()
	for rank, m := range all {
		if !slices.Equal(m.rounds, all[0].rounds) || !slices.Equal(m.Model().Parameters().Values, all[0].Model().Parameters().Values) {
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
