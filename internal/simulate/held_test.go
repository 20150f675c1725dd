package simulate

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/pipeline"
	"github.com/collabdict/collabdict/internal/pipelinetest"
	"github.com/collabdict/collabdict/netsim"
)

// A lost member whose return is held back may be counted in the moments that scale the columns,
// but in no round. It ends with a model like the others', and is warned that no round counted
// its statistics. It comes back soon after the others have ceased to wait for it.
func TestAMemberCountedOnlyInTheScaling(t *testing.T) {
	if raced {
		t.Skip("runs what TestAMemberLostInTheStart runs, for longer")
	}
	const away = 2
	task := func() []string {
		return []string{"components=3", "rounds=60", "tol=0", "standardise=global", "seed=1", "consensus.scheme=exact", "consensus.on-lone-return=hold", "rho=1"}
	}
	first := uint64(0)
	for _, s := range play(t, pipelinetest.Task(t, "ggm", task()...), unequal(1), Conditions{}).report.Slots {
		if r := s.Decision.Running; r != nil && r.Key == "clusters" {
			first = s.Decision.Slot
			break
		}
	}
	run := play(t, pipelinetest.Task(t, "ggm", task()...), unequal(1), Conditions{}, func(c *netsim.Config) {
		c.Compute = 3 * time.Second
		c.Faults = append(c.Faults, netsim.Stop{Member: away, Slot: first, RestartAfter: 135 * time.Second})
	})
	came, counted := 0, map[string]int{}
	for _, s := range run.report.Slots {
		d := s.Decision
		if d.Round > 0 && slices.Contains(d.Members, away) {
			came++
		}
		if d.Kind == consensus.Sum && d.Running != nil && d.Counts(away) {
			counted[d.Running.Key]++
		}
	}
	if came == 0 || came == 60 || counted["moments"] == 0 || counted["clusters"]+counted["statistics"] > 0 {
		t.Fatalf("the member is in the views of %d sums of the rounds, and counted in %v: nothing is tested", came, counted)
	}
	for i, r := range run.results {
		said := slices.ContainsFunc(r.Warnings, func(w string) bool {
			return strings.Contains(w, "no round counted this participant's statistics")
		})
		if said != (i == away) {
			t.Errorf("member %d: warnings %q", i, r.Warnings)
		}
		sum := 0.0
		weights := r.Model.Learned.(interface{ Weights() []float64 }).Weights()
		for _, w := range weights {
			sum += w
		}
		if !(math.Abs(sum-1) < 1e-12) || slices.Max(weights) == slices.Min(weights) {
			t.Errorf("member %d: weights %v", i, weights)
		}
		train, err := r.Model.Scorer().MeanLogLik(r.Model.Rows(unequal(1)[i].Train))
		if err != nil || math.IsNaN(train) || math.IsInf(train, 0) {
			t.Errorf("member %d: mean log-likelihood %g, %v", i, train, err)
		}
	}
}

// A member that is lost in any slot of the start comes back, and all members end the run.
func TestAMemberLostInTheStart(t *testing.T) {
	const away = 2
	for _, kind := range []string{"ggm", "dem"} {
		task := func() *pipeline.Task {
			return pipelinetest.Task(t, kind, "components=3", "rounds=30", "tol=0", "standardise=global", "seed=1", "hold-out=0", "consensus.scheme=exact")
		}
		slots := play(t, task(), unequal(1), Conditions{}).report.Slots
		for i, s := range slots {
			if s.Decision.Round > 1 {
				break
			}
			if raced && i != 4 {
				continue // a loss in one slot runs all goroutines
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
