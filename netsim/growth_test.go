package netsim

import (
	"context"
	"runtime"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/testkit"
)

// The sums of a running total take a participant memory for each round of a session, whose number is the
// logarithm of the roster, and none for each member.
func TestMemoryOfAParticipantHardlyGrows(t *testing.T) {
	testkit.SkipRaced(t)
	const values = 50
	perParticipant := func(size int) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := run(t.Context(), Config{Names: Names(size), Settings: exactly, Seed: 1}, func(ctx context.Context, rank int, g collabdict.Group) error {
			for i, key := range []string{"start", "start", "rounds", "rounds"} {
				s := collabdict.Summand{Values: make([]float64, values), Blocks: []collabdict.Block{{Len: values, Bound: 1}}, Running: collabdict.Running{Key: key}}
				if i > 1 {
					s.Running.From, s.Running.Parts = "start", [][2]int{{0, values}}
				}
				if _, err := g.Sum(ctx, s); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(size)
	}
	few, many := perParticipant(100), perParticipant(1000)
	t.Logf("%.0f bytes of each of 100 participants, %.0f of each of 1,000", few, many)
	if many > 1.35*few {
		t.Errorf("a participant allocates %.0f bytes among 100 participants, and %.0f among 1,000", few, many)
	}
}
