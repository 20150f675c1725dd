package netsim_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/netsim"
)

// accumulates is a participant whose vectors hold one constant number, like the number of rows,
// and one that depends on the round.
func accumulates(rounds int) netsim.Participant {
	blocks := []collabdict.Block{{Len: 1, Bound: 1000}, {Len: 1, Bound: 64}}
	return func(ctx context.Context, rank int, g collabdict.Group) error {
		for r := 1; r <= rounds; r++ {
			g.StartRound(r, [32]byte{})
			if _, missed := g.TakeMissed(); missed {
				continue
			}
			if _, err := g.Sum(ctx, collabdict.Summand{Running: collabdict.Running{Key: "statistics"}, Values: ofRound(rank, r), Blocks: blocks}); err != nil {
				return err
			}
		}
		return nil
	}
}

func ofRound(rank, round int) []float64 {
	rng := rand.New(rand.NewPCG(uint64(rank), uint64(round)))
	return []float64{float64(100 + 10*rank), float64(rng.IntN(64*1024)) / 1024}
}

// tally computes the running totals of a run from all members' vectors.
type tally struct {
	next    uint64
	calls   map[uint64]map[int]consensus.Call
	last    map[int][]float64 // last counted vector of each member
	faults  []string
	changes []int // members counted for the first time, by slot
	alone   []int // members that came back, by slot
	seen    map[int]uint64
	decided int
	counted [][]uint32
}

func newTally() *tally {
	return &tally{calls: map[uint64]map[int]consensus.Call{}, last: map[int][]float64{}, seen: map[int]uint64{}}
}

func (t *tally) Called(member int, slot uint64, c consensus.Call) {
	if t.calls[slot] == nil {
		t.calls[slot] = map[int]consensus.Call{}
	}
	c.Values = slices.Clone(c.Values)
	t.calls[slot][member] = c
}

func (t *tally) Sent(int, int, consensus.Message) {}

func (t *tally) Decided(_ int, d *consensus.Decision, _ []float64) {
	if d.Slot < t.next {
		return
	}
	t.next = d.Slot + 1
	if d.Running == nil {
		return
	}
	firsts, returns := 0, 0
	for _, m := range d.Running.Members {
		switch at, was := t.seen[int(m)]; {
		case !was:
			firsts++
		case at+1 < uint64(t.decided):
			returns++
		}
		t.seen[int(m)] = uint64(t.decided)
		t.last[int(m)] = t.calls[d.Slot][int(m)].Values
	}
	t.decided++
	t.changes, t.alone = append(t.changes, firsts), append(t.alone, returns)
	t.counted = append(t.counted, d.Running.Members)
	want := make([]float64, len(d.Total))
	for _, x := range t.last {
		for i, v := range x {
			want[i] += v
		}
	}
	if !slices.Equal(d.Total, want) {
		t.faults = append(t.faults, fmt.Sprintf("slot %d: total %v, want %v", d.Slot, d.Total, want))
	}
}

var schemes = map[string]consensus.Settings{
	"exact":     {Scheme: consensus.Exact, Protect: chunking.Chunks},
	"base-k":    {Scheme: consensus.BaseK, Protect: chunking.Chunks},
	"laplacian": {Scheme: consensus.Laplacian, Protect: chunking.Chunks},
}

// Under churn a running total is the sum of the last counted vectors, to the last bit, and no
// vector is ever removed from it.
func TestRunningTotalsUnderChurn(t *testing.T) {
	seeds := uint64(100)
	switch {
	case testkit.Raced:
		seeds = 2
	case !testkit.Long:
		seeds = 3
	}
	for name, s := range schemes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			returns := 0
			for seed := range seeds {
				x := newTally()
				net, err := netsim.New(netsim.Config{
					Names: netsim.Names(7), Settings: s, Seed: seed, Compute: 100 * time.Millisecond, Observer: x,
					Faults: []netsim.Fault{netsim.Churn{Rate: 0.1}},
				})
				if err != nil {
					t.Fatal(err)
				}
				report, err := net.Run(t.Context(), accumulates(30))
				if err != nil {
					t.Fatalf("seed %d: %v: %+v", seed, err, report)
				}
				for _, f := range x.faults {
					t.Errorf("seed %d: %s", seed, f)
				}
				for slot, n := range x.changes {
					if n != 0 && n < 4 {
						t.Errorf("seed %d: slot %d counts the first vectors of %d members, want none or at least 4", seed, slot, n)
					}
				}
				for _, n := range x.alone {
					returns += n
				}
				if t.Failed() {
					return
				}
			}
			if returns < int(seeds) {
				t.Errorf("%d members came back in %d runs: nothing is tested", returns, seeds)
			}
		})
	}
}
