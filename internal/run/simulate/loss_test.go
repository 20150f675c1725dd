package simulate

import (
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/attack/differencing"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/netsim"
)

// shown returns the members that differences of totals reveal, in the coordinates of the data,
// scaled, or as trained on.
func (r trained) shown(t *testing.T, parts []dataset.Participant, totals *differencing.Watch) (members []int) {
	t.Helper()
	var of *model.Model
	for _, result := range r.results {
		if result != nil && result.Model != nil {
			of = result.Model
		}
	}
	run := &Run{Models: []*model.Model{of}}
	trainedOn, err := run.trainedOn(parts)
	if err != nil {
		t.Fatal(err)
	}
	var raw, scaled []*mat.Dense
	for _, p := range parts {
		scaling := of.Scaling
		if of.Manifest.Standardise == algorithm.Own {
			if scaling, _, err = pipeline.OwnScaling(of.Manifest.Normalise, p.Train); err != nil {
				t.Fatal(err)
			}
		}
		raw = append(raw, dense(p.Train))
		scaled = append(scaled, scaling.Apply(dense(p.Train)))
	}
	for _, x := range [][]*mat.Dense{raw, scaled, trainedOn} {
		seen := differencing.World{Slots: totals.Slots(), Trained: x}
		members = append(members, seen.Recover().Members...)
	}
	slices.Sort(members)
	return slices.Compact(members)
}

// few returns five plants with few rows, each with a different number.
func few() []dataset.Participant {
	parts := unequal(3)[:5]
	for i := range parts {
		all := dense(parts[i].Train)
		parts[i].Train = rows.InMemory(mat.DenseCopyOf(all.Slice(0, 40+3*i, 0, 5)))
	}
	return parts
}

// If a member is lost in any slot of the start or in the first slot of the rounds, differences of
// totals reveal nobody. The others wait for it, or continue and let it in when it comes back.
// Before the first running total they wait for ever, so no case is without a return there.
func TestALossInTheStartShowsNobody(t *testing.T) {
	testkit.LongOnly(t)
	testkit.SkipRaced(t)
	const victim = 2
	parts := few()
	for _, c := range [][]string{
		{"ggm", "standardise=none"},
		{"ggm", "standardise=global"},
		{"ggm", "standardise=own"},
		{"ggm", "standardise=none", "pca=2"},
		{"ggm", "standardise=global", "pca=2"},
		{"ggm", "standardise=own", "pca=2"},
		{"dem", "standardise=none"},
		{"dem", "standardise=global", "start=k-fed"},
		{"dem", "standardise=global", "pca=2"},
	} {
		task := func() *pipeline.Task {
			options := append([]string{"components=2", "rounds=3", "tol=0", "seed=3", "consensus.scheme=exact"}, c[1:]...)
			if c[0] == "ggm" {
				options = append(options, "rho=1")
			} else {
				options = append(options, "blur=0") // sums over views then show members exactly
			}
			return pipelinetest.Task(t, c[0], options...)
		}
		slots := play(t, task(), parts, Conditions{}).report.Slots
		start := uint64(slices.IndexFunc(slots, func(s netsim.Slot) bool { return s.Decision.Round > 0 }))
		first := uint64(slices.IndexFunc(slots, func(s netsim.Slot) bool { return s.Decision.Running != nil }))
		lost := func(views bool, stop netsim.Stop) []int {
			totals := differencing.NewWatch(len(parts))
			run := play(t, task(), parts, Conditions{ViewTotals: views}, func(n *netsim.Config) {
				n.Compute, n.Observer, n.Faults = updateTime, totals, append(n.Faults, stop)
			})
			if in := run.report.Slots[stop.Slot+1].Decision.Members; stop.RestartAfter == 0 && slices.Contains(in, victim) {
				t.Fatalf("%v: slot %d is over %v", c, stop.Slot+1, in)
			}
			return run.shown(t, parts, totals)
		}
		for slot := uint64(nonceSlots); slot <= start; slot++ {
			for _, stop := range []netsim.Stop{
				{Member: victim, Slot: slot},
				{Member: victim, Slot: slot, After: 4 * time.Millisecond, RestartAfter: 30 * time.Second},
				{Member: victim, Slot: slot, After: 4 * time.Millisecond, RestartAfter: 135 * time.Second},
			} {
				if stop.RestartAfter == 0 && slot <= first {
					continue
				}
				if m := lost(false, stop); len(m) > 0 {
					t.Errorf("%v: stop in slot %d of %d, back after %s: totals show %v", c, slot, start, stop.RestartAfter, m)
				}
			}
		}
		if m := lost(true, netsim.Stop{Member: victim, Slot: start}); !slices.Equal(m, []int{victim}) {
			t.Errorf("%v: sums over views show %v, want %d: nothing is tested", c, m, victim)
		}
	}
}

// A member is cut off when the model has settled, and comes back some rounds later, as if
// another member had left it out. Totals reveal nobody, and the model is that of all members.
func TestAMemberIsLeftOutForSomeRounds(t *testing.T) {
	const victim = 2
	parts := few()
	for i, kind := range []string{"dem", "ggm"} {
		if testkit.Raced && i > 0 {
			break // both have the same goroutines
		}
		task := func() *pipeline.Task {
			options := []string{"components=2", "rounds=40", "tol=0", "seed=3", "standardise=none", "consensus.scheme=exact"}
			if kind == "ggm" {
				options = append(options, "rho=1")
			}
			return pipelinetest.Task(t, kind, append(options, "blur=0")...)
		}
		for _, views := range []bool{false, true} {
			totals := differencing.NewWatch(len(parts))
			run := play(t, task(), parts, Conditions{ViewTotals: views}, func(n *netsim.Config) {
				n.Compute, n.Observer = updateTime, totals
				n.Faults = append(n.Faults, netsim.Partition{Sides: [][]int{{victim}, {0, 1, 3, 4}}, When: netsim.When{Round: 25, For: 15 * time.Second}})
			})
			out := 0
			for _, s := range run.report.Slots {
				if !slices.Contains(s.Decision.Members, victim) {
					out++
				}
			}
			if last := run.report.Slots[len(run.report.Slots)-1].Decision; out == 0 || len(last.Members) != 5 || last.Round != 40 {
				t.Fatalf("%s: left out of %d sums, the last one is of round %d over %v", kind, out, last.Round, last.Members)
			}
			m := run.shown(t, parts, totals)
			if views {
				if !slices.Equal(m, []int{victim}) {
					t.Errorf("%s: sums over views show %v, want %d: nothing is tested", kind, m, victim)
				}
				continue
			}
			if len(m) > 0 {
				t.Errorf("%s: left out of %d sums: totals show %v", kind, out, m)
			}
			if d := run.meanLoglik(parts) - play(t, task(), parts, Conditions{}).meanLoglik(parts); !(math.Abs(d) < 1e-4) {
				t.Errorf("%s: left out of %d sums: the mean log-likelihood differs by %g from that of a run without", kind, out, d)
			}
		}
	}
}
