package simulate

import (
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
	"github.com/collabdict/collabdict/netsim"
)

// A member that is lost in any slot of the start comes back, and all members end the run.
func TestAMemberLostInTheStart(t *testing.T) {
	const away = 2
	for parity, kind := range []string{"ggm", "dem"} {
		task := func() *pipeline.Task {
			return pipelinetest.Task(t, kind, "components=3", "rounds=30", "tol=0", "standardise=global", "seed=1", "hold-out=0", "consensus.scheme=exact")
		}
		slots := play(t, task(), unequal(1), Conditions{}).report.Slots
		for i, s := range slots {
			if s.Decision.Round > 1 {
				break
			}
			if testkit.Raced && i != 4 {
				continue // a loss in one slot runs all goroutines
			}
			if !testkit.Long && i%2 != parity {
				continue // the other kind loses it
			}
			first := s.Decision.Slot
			run := play(t, task(), unequal(1), Conditions{}, func(c *netsim.Config) {
				c.Compute = 3 * time.Second
				c.Faults = append(c.Faults, netsim.Stop{Member: away, Slot: first, RestartAfter: 135 * time.Second})
			})
			for i, r := range run.results {
				if r == nil || r.Model == nil || r.Model.Manifest.Rounds != 30 {
					t.Errorf("%s: member %d has not ended the run in which member %d was lost in slot %d", kind, i, away, first)
				}
			}
		}
	}
}
