package algorithms_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/netsim"
)

// counting is a member that follows the protocol, and in later rounds multiplies what it
// contributes. A value stays within the bounds that the members have agreed on.
type counting struct {
	from   uint32
	factor float64
}

func (a counting) Call(c consensus.Call) consensus.Call {
	if c.Kind != consensus.Sum || c.Round < a.from {
		return c
	}
	c.Values = slices.Clone(c.Values)
	for i := range c.Values {
		c.Values[i] *= a.factor
	}
	return c
}

func (counting) Send(_ int, m consensus.Message, _ *rand.Rand) []consensus.Message {
	return []consensus.Message{m}
}

// If a member counts more or fewer rows in a round than at the start, all others notice it in
// that round. They can because the components of a running total together have the same number
// of rows in each round.
func TestMoreRowsInRounds(t *testing.T) {
	testkit.SkipRaced(t) // package netsim tests its goroutines
	const members, bad = 5, 2
	schemes := map[string]consensus.Settings{
		"exact":     {Scheme: consensus.Exact, Protect: chunking.Chunks},
		"base-k":    {Scheme: consensus.BaseK, Protect: chunking.Chunks},
		"laplacian": {Protect: chunking.Chunks},
	}
	for _, name := range []string{"ggm", "dem"} {
		for scheme, settings := range schemes {
			for _, factor := range []float64{1, 2, 0.5} {
				kind, _ := algorithms.Lookup(name)
				net, err := netsim.New(netsim.Config{
					Names: netsim.Names(members), Seed: 1, Settings: settings,
					Adversaries: map[int]netsim.Adversary{bad: counting{3, factor}},
				})
				if err != nil {
					t.Fatal(err)
				}
				rounds := make([]int, members)
				result, err := net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) error {
					n := 200
					if rank == bad {
						n = 60
					}
					a := kind.New()
					table := a.Options()
					for option, v := range map[string]string{"components": "2", "rounds": "5", "tol": "0"} {
						if err := table.Set(option, v); err != nil {
							return err
						}
					}
					if err := table.Complete(); err != nil {
						return err
					}
					d := algorithm.Data{Rows: gmm.Matrix(testkit.Patterns(n, 2, 2, uint64(rank))), Seed: 1}
					_, err := a.Learn(ctx, g, d, func(p algorithm.Progress) { rounds[rank] = p.Number })
					return err
				})
				what := fmt.Sprintf("%s, %s, factor %g", name, scheme, factor)
				if factor == 1 {
					if err != nil || rounds[0] != 5 {
						t.Errorf("%s: %v after rounds %v", what, err, rounds)
					}
					continue
				}
				for rank, m := range result.Members {
					if rank != bad && (m.Err == nil || rounds[rank] != 2 || !strings.Contains(m.Err.Error(), "round 3: ") || !strings.Contains(m.Err.Error(), "rows together, but 860 before")) {
						t.Errorf("%s: member %d: %v after %d rounds, want an error in round 3", what, rank, m.Err, rounds[rank])
					}
				}
			}
		}
	}
}
