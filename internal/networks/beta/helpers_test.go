package beta

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// small returns the settings of a model of few parameters that learns fast.
func small(w Weighting) Config {
	return Config{Inputs: 6, Hidden: []int{8, 5}, Latent: 2, Beta: 0.1, Rate: 0.01, Batch: 8, Epochs: 2, Seed: 3, Weights: w}
}

// owns returns members with different numbers of rows and classes. In each class, one value is
// near 1 and the others are near 0.
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

func together(t *testing.T, run grouptest.Runner, c Config, own []Own, rounds int) ([]*Learner, []Round) {
	t.Helper()
	begin := func(ctx context.Context, g collabdict.Group, rank int) (*Learner, error) {
		l := NewLearner(c, own[rank])
		return l, l.Start(ctx, g)
	}
	return grouptest.Train(t, run, len(own), rounds, begin, parameters)
}

func inLockstep(t *testing.T, c Config, own []Own, rounds int) ([]*Learner, []Round) {
	t.Helper()
	return together(t, lockstep.Run, c, own, rounds)
}

func parameters(l *Learner) []float32 { return l.model.all.Values }
