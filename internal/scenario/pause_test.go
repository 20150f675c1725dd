package scenario_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/netsim"
)

func TestAnAgreedPause(t *testing.T) {
	in, r := play(t, "pause")
	for m := range uint32(size) {
		if out := missing(in, m); out != nil {
			t.Errorf("participant %d is not in rounds %v, want all to wait", m+1, out)
		}
	}
	checkPauses(t, r, 1)
	if r.Virtual < 2*time.Hour {
		t.Errorf("over after %s, during the pause", r.Virtual)
	}
}

// checkPauses asserts that all members had this number of pauses, and that only amendments were
// decided in them.
func checkPauses(t *testing.T, r *netsim.Report, want int) {
	t.Helper()
	for rank, m := range r.Members {
		paused, count := false, 0
		for _, d := range m.Decisions {
			if a, err := d.Amendment(); err == nil {
				if a.Pause {
					count++
				}
				paused = a.Pause
			} else if paused {
				t.Errorf("participant %d has decided a %s in slot %d while the run is paused", rank+1, d.Kind, d.Slot)
			}
		}
		if count != want || paused {
			t.Errorf("participant %d: %d pauses, and paused at the end: %v; want %d", rank+1, count, paused, want)
		}
	}
}

// mix is a learner whose totals each depend on all totals before.
func mix(ctx context.Context, rank int, g collabdict.Group) error {
	x := float64(rank+1) / 16
	for n := range 24 {
		g.StartRound(n+1, [32]byte{})
		total, missed := g.TakeMissed()
		if !missed {
			var err error
			if total, err = g.Sum(ctx, collabdict.Summand{Values: []float64{x}, Blocks: blocks}); err != nil {
				return err
			}
		}
		_, x = math.Modf(float64(rank+3)*total[0] + x) // the same digits everywhere
	}
	return nil
}

// Messages may be lost, and any processes may stop during a pause, even all of them. All
// members still end with the result of a run that was never paused.
func TestPausesChangeNoResult(t *testing.T) {
	const members = 5
	run := func(seed uint64, faults ...netsim.Fault) *netsim.Report {
		t.Helper()
		net, err := netsim.New(netsim.Config{
			Names: netsim.Names(members), Seed: seed, Compute: time.Second, Latency: netsim.Uniform(20 * time.Millisecond),
			Settings: consensus.Settings{Scheme: consensus.Exact, Protect: chunking.Chunks}, Faults: faults,
		})
		if err != nil {
			t.Fatal(err)
		}
		r, err := net.Run(t.Context(), mix)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		return r
	}
	for seed := range map[bool]uint64{false: 8, true: 1}[testkit.Raced] {
		if !testkit.Long && !testkit.Raced && seed%3 != 1 {
			continue // the others stop members in the first pause in other patterns
		}
		want := run(seed).Members[0].Digest
		for _, loss := range []float64{0, 0.02, 0.1} {
			faults := []netsim.Fault{
				netsim.Loss{Rate: loss},
				netsim.Pause{When: netsim.When{Round: 5, For: 75 * time.Minute}},
				netsim.Pause{When: netsim.When{Round: 17, For: 30 * time.Minute}},
			}
			for rank := range members { // some in the first pause, all in the second
				if seed>>(rank%3)&1 == 1 {
					faults = append(faults, netsim.Crash{Member: rank, When: netsim.When{Round: 5, At: 5 * time.Minute, For: time.Duration(rank+1) * 11 * time.Minute}})
				}
				faults = append(faults, netsim.Crash{Member: rank, When: netsim.When{Round: 17, At: 10 * time.Minute, For: 15 * time.Minute}})
			}
			r := run(seed, faults...)
			checkPauses(t, r, 2)
			for rank, m := range r.Members {
				if m.Digest != want {
					t.Errorf("seed %d, loss %g: participant %d has ended with digest %x, want %x\n%s", seed, loss, rank+1, m.Digest[:4], want[:4], views(m))
				}
			}
		}
	}
}

// views renders the members of those sums that lack some.
func views(m netsim.Member) (s string) {
	for _, d := range m.Decisions {
		if d.Kind == consensus.Sum && len(d.Missing) > 0 {
			s += fmt.Sprintf("round %d without %v\n", d.Round, d.Missing)
		}
	}
	return s
}
