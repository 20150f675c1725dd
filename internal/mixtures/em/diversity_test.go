package em

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
)

// The objective falls only in rounds in which some member leaves a component out.
func TestObjectiveFallsOnlyWithAComponent(t *testing.T) {
	acted := 0
	rapid.Check(t, func(rt *rapid.T) {
		data, config := awkward(rt)
		config.Diversity = privacy.Rule{Least: rapid.Float64Range(1.5, 6).Draw(rt, "diversity"), Policy: privacy.SkipComponent}
		kept, total := data[:0], 0
		for _, x := range data {
			if n, _ := x.Dims(); n >= config.Diversity.LeastRows() {
				kept, total = append(kept, x), total+n
			}
		}
		config.Components = min(config.Components, total)
		if len(kept) == 0 {
			return
		}
		type seen struct {
			objective float64
			did       int
		}
		rounds := make([][]seen, len(kept))
		grouptest.Together(t, len(kept), func(g collabdict.Group, s int) error {
			l, err := NewLearner(gmm.Matrix(kept[s]), config)
			if err != nil {
				return err
			}
			_, err = collabdict.Train(t.Context(), g, l, collabdict.Options{Rounds: 6, OnRound: func(r collabdict.Round) {
				rounds[s] = append(rounds[s], seen{r.Objective, len(l.LowDiversity())})
			}})
			return err
		})
		for i := 1; i < len(rounds[0]); i++ {
			did := 0
			for _, of := range rounds {
				did += of[i].did
			}
			acted += did
			if now, last := rounds[0][i].objective, rounds[0][i-1].objective; did == 0 && now < last-1e-7*(1+math.Abs(last)) {
				rt.Fatalf("objective falls from %.12g to %.12g in round %d", last, now, i+1)
			}
		}
	})
	if acted == 0 {
		t.Error("no member has left out a component, so nothing is tested")
	}
}

// Every candidate's part of a vector follows the rule, in the start and in the rounds, also
// with missing cells.
func TestEveryCandidateIsDiverse(t *testing.T) {
	x := testkit.Patterns(120, 3, 3, 2)
	rng := rand.New(rand.NewPCG(1, 1))
	for j := range 3 { // far away, and nearly the same
		x.SetRow(119-j, []float64{30 + 1e-3*rng.NormFloat64(), -30, 30})
	}
	x.Set(0, 2, math.NaN())
	x.Set(119, 2, math.NaN())
	for _, policy := range []privacy.Policy{privacy.SkipComponent, privacy.DrawComponent} {
		config := Config{
			Choices: []Choice{{2, 0.1}, {3, 0.1}, {4, 0.1}}, Seed: 1, Missing: true, Diversity: privacy.Rule{Least: 5, Policy: policy},
			Source: rand.NewChaCha8([32]byte{1}),
		}
		held := testkit.Patterns(20, 3, 3, 3)
		config.Held = gmm.Matrix(held)
		l, err := NewLearner(gmm.Matrix(x), config)
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		_, err = collabdict.Train(t.Context(), vectors{each: func(v []float64, blocks []collabdict.Block) {
			if l.live == nil {
				return
			}
			starts, _ := l.limits.layout(l.live)
			for i, c := range l.live {
				k := c.components
				part := v[starts[i] : starts[i]+l.limits.length(c.components)]
				testkit.Near(t, "rows", floats.Sum(part[:k]), 120, 1e-6)
				for at, n := range part[:k] {
					// A component of the far rows would be near (30, −30, 30).
					if n >= 1 && n < 5 && math.Abs(part[k+at]/n-30) < 0.1 && math.Abs(part[2*k+at]/n+30) < 0.1 {
						t.Errorf("%s: %g rows of component %d of candidate %d are the far ones", policy, n, at+1, i+1)
					}
				}
				seen++
			}
		}}, l, collabdict.Options{Rounds: 12})
		if err != nil {
			t.Fatal(err)
		}
		if seen < 20 {
			t.Errorf("%s: %d parts were seen", policy, seen)
		}
	}
}

// vectors is a group of one that records the vectors in its sums.
type vectors struct {
	crowd
	each func(x []float64, blocks []collabdict.Block)
}

func (v vectors) Sum(ctx context.Context, s collabdict.Summand) ([]float64, error) {
	v.each(s.Values, s.Blocks)
	return v.crowd.Sum(ctx, s)
}
