package netsim

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
)

// counts is a participant that sums ones in a few rounds. It keeps the totals and whether it
// was in them.
type counts struct {
	totals   [][]float64
	included [][]bool
	starts   []int
}

func newCounts(size int) *counts {
	return &counts{totals: make([][]float64, size), included: make([][]bool, size), starts: make([]int, size)}
}

func (c *counts) part(rounds int) Participant {
	return func(ctx context.Context, rank int, g collabdict.Group) error {
		c.starts[rank]++
		c.totals[rank], c.included[rank] = nil, nil
		for r := range rounds {
			g.StartRound(r+1, [32]byte{})
			total, missed := g.TakeMissed()
			if !missed {
				var err error
				if total, err = g.Sum(ctx, collabdict.Summand{Values: []float64{1, float64(rank)}, Blocks: blocks}); err != nil {
					return err
				}
			}
			c.totals[rank] = append(c.totals[rank], math.Round(total[0]))
			c.included[rank] = append(c.included[rank], g.Membership().Included)
		}
		return nil
	}
}

// A member that is stopped for a while is left out of sums, takes them from the others when it
// is back, and then takes part again.
func TestAMemberComesBack(t *testing.T) {
	const size, rounds = 5, 40
	c := config(size)
	c.Faults = []Fault{Stop{Member: 1, Slot: 5, RestartAfter: 20 * time.Second}}
	n := newCounts(size)
	c.Latency = Uniform(300 * time.Millisecond) // so that rounds pass while it is away
	report, err := run(t.Context(), c, n.part(rounds))
	if err != nil {
		t.Fatal(err)
	}
	if n.starts[1] != 2 || n.starts[0] != 1 {
		t.Errorf("starts %v", n.starts)
	}
	missed := 0
	for r := range rounds {
		if n.totals[1][r] != n.totals[0][r] {
			t.Errorf("round %d: %g after the restart, %g elsewhere", r+1, n.totals[1][r], n.totals[0][r])
		}
		if n.included[1][r] != (n.totals[0][r] == size) {
			t.Errorf("round %d: included %v in a total of %g", r+1, n.included[1][r], n.totals[0][r])
		}
		if !n.included[1][r] {
			missed++
		}
	}
	if missed == 0 || !n.included[1][rounds-1] || !n.included[1][0] {
		t.Errorf("missed %d rounds, at the end included: %v", missed, n.included[1][rounds-1])
	}
	for rank, m := range report.Members {
		if len(m.Decisions) != rounds+2 || m.Digest != report.Members[0].Digest || m.Err != nil {
			t.Errorf("participant %d: %d decisions, %v", rank, len(m.Decisions), m.Err)
		}
	}
}

// The others continue without a member that does not come back. If too few are left, they end
// and give the reason.
func TestMembersThatDoNotComeBack(t *testing.T) {
	const size = 5
	for stopped, want := range map[int]string{1: "", 3: "too few members"} {
		c := config(size)
		for s := range stopped {
			c.Faults = append(c.Faults, Stop{Member: s, Slot: 3, After: time.Duration(s) * time.Millisecond})
		}
		n := newCounts(size)
		report, err := run(t.Context(), c, n.part(6))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d stopped: got %v, want %q", stopped, err, want)
		}
		for rank, m := range report.Members {
			if (rank < stopped) != errors.Is(m.Err, ErrStopped) {
				t.Errorf("%d stopped: participant %d ended with %v", stopped, rank, m.Err)
			}
		}
		if want == "" && n.totals[4][5] != size-1 {
			t.Errorf("totals %v, want %d at the end", n.totals[4], size-1)
		}
	}
}

// Faults also follow from the seed.
func TestFaultsAreReplayed(t *testing.T) {
	play := func(procs int) (*Report, *counts) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		c := config(7)
		c.Latency = Uniform(200 * time.Millisecond)
		c.Faults = []Fault{
			Stop{Member: 0, Slot: 4, After: 3 * time.Millisecond, RestartAfter: 15 * time.Second},
			Stop{Member: 5, Slot: 6, After: 400 * time.Millisecond, RestartAfter: time.Second},
		}
		n := newCounts(7)
		report, err := run(t.Context(), c, n.part(12))
		if err != nil {
			t.Fatal(err)
		}
		return report, n
	}
	one, a := play(1)
	two, b := play(2)
	if !reflect.DeepEqual(one.Members, two.Members) || !reflect.DeepEqual(a, b) {
		t.Error("one processor gives another run than two")
	}
}

func TestInvalidFaults(t *testing.T) {
	for _, f := range []Fault{Stop{Member: -1}, Stop{Member: 3}, Stop{After: -1}, Stop{RestartAfter: -1}} {
		c := config(3)
		c.Faults = []Fault{f}
		if _, err := run(t.Context(), c, nil); err == nil || !strings.Contains(err.Error(), "stop: ") {
			t.Errorf("%+v: got %v", f, err)
		}
	}
}
