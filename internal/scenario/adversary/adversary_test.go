package adversary_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/scenario/adversary"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/netsim"
)

const (
	size   = 7
	rounds = 4
	bad    = 2 // the adversary's rank
)

var blocks = []collabdict.Block{{Len: 2, Bound: 100}}

// end is the result of the honest members.
type end struct {
	totals [][][]float64 // totals by participant and round, if decided
	report *netsim.Report
	err    error
}

func play(t *testing.T, s consensus.Settings, a netsim.Adversary, seed uint64) end {
	t.Helper()
	c := netsim.Config{
		Names: netsim.Names(size), Settings: s, Seed: seed, Compute: time.Second,
		Adversaries: map[int]netsim.Adversary{bad: a},
	}
	e := end{totals: make([][][]float64, size)}
	net, err := netsim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	e.report, e.err = net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) error {
		for r := range rounds {
			g.StartRound(r+1, [32]byte{})
			total, missed := g.TakeMissed()
			if !missed {
				var err error
				if total, err = g.Sum(ctx, collabdict.Summand{Values: []float64{1, float64(rank)}, Blocks: blocks}); err != nil {
					return err
				}
			}
			e.totals[rank] = append(e.totals[rank], total)
		}
		return nil
	})
	return e
}

// schemes are the schemes on which adversaries are tested.
var schemes = map[string]consensus.Settings{
	"exact":     {Scheme: consensus.Exact, Protect: chunking.Chunks},
	"laplacian": {Protect: chunking.Chunks},
}

// through returns the number of honest members that reached the end.
func (e end) through() (n int) {
	for rank, totals := range e.totals {
		if rank != bad && len(totals) == rounds {
			n++
		}
	}
	return n
}

// differ reports whether two honest members have different totals of a round.
func (e end) differ() bool {
	for rank, own := range e.totals {
		for other, theirs := range e.totals[:rank] {
			n := min(len(own), len(theirs))
			if rank != bad && other != bad && !reflect.DeepEqual(own[:n], theirs[:n]) {
				return true
			}
		}
	}
	return false
}

// named reports whether an honest member ended with an error that names the adversary.
func (e end) named() bool {
	for rank, m := range e.report.Members {
		if rank != bad && m.Err != nil && strings.Contains(m.Err.Error(), "p0003") {
			return true
		}
	}
	return false
}

// proven reports whether an honest member has two votes of the adversary for different results.
// No honest member is ever proven at fault: the votes that all members hold at the end
// contradict each other only for adversaries.
func (e end) proven(t *testing.T) bool {
	var votes []consensus.CastVote
	found := false
	for rank, m := range e.report.Members {
		if err, is := errors.AsType[*consensus.MemberError](m.Err); is && rank != bad && err.Evidence != nil {
			votes = append(votes, err.Evidence.Votes...)
			found = found || len(consensus.TwoFaced(err.Evidence.Votes)) > 0
		}
	}
	for _, pair := range consensus.TwoFaced(votes) {
		if pair[0].Member != bad {
			t.Errorf("honest participant %d has signed %+v", pair[0].Member+1, pair)
		}
	}
	return found
}

// checkSums fails if a total that an honest member has opened is not the sum over its members,
// with the adversary's contribution.
func (e end) checkSums(t *testing.T, adds []float64) {
	t.Helper()
	for rank, m := range e.report.Members {
		for _, d := range m.Decisions {
			if rank == bad || d.Kind != consensus.Sum {
				continue
			}
			want := []float64{0, 0}
			for _, member := range d.Members {
				x := []float64{1, float64(member)}
				if member == bad && adds != nil {
					x = adds
				}
				want[0], want[1] = want[0]+x[0], want[1]+x[1]
			}
			if math.Abs(d.Total[0]-want[0]) > 1e-4 || math.Abs(d.Total[1]-want[1]) > 1e-4 {
				t.Errorf("participant %d opened %v over %v, want %v", rank+1, d.Total, d.Members, want)
			}
		}
	}
}

// each tests an adversary on all schemes, with a few seeds.
func each(t *testing.T, a func() netsim.Adversary, check func(t *testing.T, e end)) {
	runs := uint64(5)
	if testkit.Raced {
		runs = 1 // all have the same goroutines
	}
	eachOf(t, runs, a, check)
}

// eachOf runs each scheme.
func eachOf(t *testing.T, runs uint64, a func() netsim.Adversary, check func(t *testing.T, e end)) {
	for name, s := range schemes {
		for seed := range runs {
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) { check(t, play(t, s, a(), seed)) })
		}
	}
}

// The others continue without a silent member.
func TestSilent(t *testing.T) {
	each(t, func() netsim.Adversary { return adversary.Silent{} }, func(t *testing.T, e end) {
		e.checkSums(t, nil)
		if e.err != nil || e.through() != size-1 || e.differ() || math.Round(e.totals[0][0][0]) != size-1 {
			t.Errorf("%d reached the end: %v", e.through(), e.err)
		}
	})
}

// A message that is repeated to its receiver has no effect.
func TestReplay(t *testing.T) {
	each(t, func() netsim.Adversary { return &adversary.Replay{} }, func(t *testing.T, e end) {
		e.checkSums(t, nil)
		if e.err != nil || e.through() != size-1 || e.differ() || math.Round(e.totals[0][rounds-1][0]) != size {
			t.Errorf("%d reached the end: %v", e.through(), e.err)
		}
	})
}

// A wrong contribution is not detected. It moves a total by no more than the bounds.
func TestScaled(t *testing.T) {
	each(t, func() netsim.Adversary { return adversary.Scaled{Factor: 1e6} }, func(t *testing.T, e end) {
		e.checkSums(t, []float64{100, 100})
		if e.err != nil || e.through() != size-1 || e.differ() {
			t.Errorf("%d reached the end: %v", e.through(), e.err)
		}
	})
}

func TestFlipped(t *testing.T) {
	each(t, func() netsim.Adversary { return adversary.Flipped{} }, func(t *testing.T, e end) {
		e.checkSums(t, []float64{bad, 1})
		if e.err != nil || e.through() != size-1 || e.differ() {
			t.Errorf("%d reached the end: %v", e.through(), e.err)
		}
	})
}

// Garbage in a session ends the run: because of the value itself, of votes that differ, or of
// the check of the total. No wrong total is opened.
func TestNaN(t *testing.T) {
	each(t, func() netsim.Adversary { return adversary.NaN{} }, func(t *testing.T, e end) {
		e.checkSums(t, nil)
		if e.err == nil || e.through() > 0 {
			t.Errorf("%d reached the end", e.through())
		}
	})
}

func TestGarbage(t *testing.T) {
	ended := 0
	each(t, func() netsim.Adversary { return adversary.Garbage{Rate: 0.05} }, func(t *testing.T, e end) {
		e.checkSums(t, nil)
		if e.err != nil {
			ended++
		}
	})
	if ended == 0 {
		t.Error("garbage never ended a run")
	}
}

// A member that votes for two values can make the others open two totals, each the sum over
// members of its view. They notice in the next slot at the latest, and end the run. This is
// rare, since the first member with two votes sends them to all others.
func TestEquivocator(t *testing.T) {
	testkit.SkipRaced(t)
	const runs = 100
	different, named, proven := 0, 0, 0
	eachOf(t, runs, func() netsim.Adversary { return adversary.Equivocator{} }, func(t *testing.T, e end) {
		e.checkSums(t, nil)
		if e.differ() {
			different++
		}
		if e.proven(t) {
			proven++
		}
		if e.named() {
			named++
		}
		if e.err == nil {
			t.Error("nobody notices")
		}
	})
	all := runs * len(schemes)
	if different == 0 {
		t.Error("no two totals: the documents promise less than the protocol")
	}
	if different > all/50 || named < all-all/50 || proven < all-all/50 {
		t.Error("more runs than before have two totals, or end without the adversary's two votes")
	}
	t.Logf("of %d runs, %d come to two totals, %d name the adversary, and %d end with two votes of it in one ballot", all, different, named, proven)
}
