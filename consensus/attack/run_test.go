package attack_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/attack"
	"github.com/collabdict/collabdict/netsim"
)

// watch runs sums of random vectors under the eyes of a coalition.
func watch(t *testing.T, s consensus.Settings, size int, coalition []int, rounds, values int, seed uint64) *attack.Recorder {
	t.Helper()
	c := netsim.Config{Settings: s, Seed: seed}
	for i := range size {
		c.Names = append(c.Names, fmt.Sprintf("p%02d", i))
	}
	r := attack.NewRecorder(s, netsim.RunID(c.Seed), size, coalition)
	c.Observer = r
	_, err := netsim.Run(t.Context(), c, func(ctx context.Context, rank int, g collabdict.Group) error {
		rng := rand.New(rand.NewPCG(seed, uint64(rank)))
		x := make([]float64, values)
		for range rounds {
			for i := range x {
				x[i] = 2*rng.Float64() - 1
			}
			if _, err := g.Sum(ctx, x, []collabdict.Block{{Len: values, Bound: 1}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	return r
}

// One observer has all vectors of a sum in the clear, and of one split over
// sessions: it inverts each session and adds the parts up. Of chunked vectors it
// has none, though it sees as much.
func TestOneObserver(t *testing.T) {
	const size = 31
	for name, c := range map[string]struct {
		settings consensus.Settings
		least    float64
		most     float64
	}{
		"none":         {consensus.Settings{Protect: chunking.None}, 0.9, 1},
		"sessions":     {consensus.Settings{Protect: chunking.Sessions, Chunks: 4}, 0.9, 1},
		"chunks":       {consensus.Settings{Protect: chunking.Chunks}, 0, 0},
	} {
		r := watch(t, c.settings, size, []int{7}, 2, 3, 1)
		t.Logf("%s: %.3f", name, r.Breached())
		if got := r.Breached(); got < c.least || got > c.most {
			t.Errorf("%s: breached %.3f, want %g to %g", name, got, c.least, c.most)
		}
	}
}
