package netsim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func config(size int) Config {
	c := Config{Seed: 42, Settings: consensus.Settings{
		Step: session.Chebyshev, Graph: graph.HamiltonCycles, Protect: chunking.Chunks,
	}}
	for i := range size {
		c.Names = append(c.Names, fmt.Sprintf("p%04d", i+1))
	}
	return c
}

var blocks = []collabdict.Block{{Len: 2, Bound: 100}}

// twoSums is a participant that makes two sums, the second from the result of the first, and
// keeps both.
func twoSums(totals [][]float64) Participant {
	return func(ctx context.Context, rank int, g collabdict.Group) error {
		first, err := g.Sum(ctx, collabdict.Summand{Values: []float64{float64(rank), 1}, Blocks: blocks})
		if err != nil {
			return err
		}
		g.StartRound(1, [32]byte{})
		totals[rank], err = g.Sum(ctx, collabdict.Summand{Values: []float64{first[0] / 100, -float64(rank)}, Blocks: blocks})
		return err
	}
}

func TestRunSumsEverywhereTheSame(t *testing.T) {
	const size = 9
	totals := make([][]float64, size)
	report, err := run(t.Context(), config(size), twoSums(totals))
	if err != nil {
		t.Fatal(err)
	}
	for rank, got := range totals {
		if math.Abs(got[0]-size*0.36) > 1e-6 || math.Abs(got[1]+36) > 1e-6 || !reflect.DeepEqual(got, totals[0]) {
			t.Errorf("participant %d has %v, want [%g -36]", rank, got, size*0.36)
		}
	}
	for rank, m := range report.Members {
		if m.Setup != 3 || m.Slots != 4 || m.Record.Rounds != report.Plan.Rounds() || m.Digest != report.Members[0].Digest || m.Bytes == 0 {
			t.Errorf("participant %d: %+v", rank, m)
		}
	}
}

func TestSameSeedSameRunWhateverGOMAXPROCS(t *testing.T) {
	type result struct {
		Totals [][]float64
		Report *Report
	}
	play := func(procs int, seed uint64) result {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		c := config(7)
		c.Seed = seed
		totals := make([][]float64, 7)
		report, err := run(t.Context(), c, twoSums(totals))
		if err != nil {
			t.Fatal(err)
		}
		return result{totals, report}
	}
	one, two, other := play(1, 5), play(2, 5), play(2, 6)
	if !reflect.DeepEqual(one, two) {
		t.Errorf("one processor: %+v\ntwo: %+v", one.Report, two.Report)
	}
	if reflect.DeepEqual(one.Totals, other.Totals) {
		t.Error("another seed gives the same bits: the chunks do not depend on it")
	}
}

// A participant that fails is named; the others continue if they are enough.
func TestAFailingParticipant(t *testing.T) {
	bad := errors.New("cell 3 is not a number")
	for size, goOn := range map[int]bool{4: true, 3: false} {
		report, err := run(t.Context(), config(size), func(ctx context.Context, rank int, g collabdict.Group) error {
			if _, err := g.Sum(ctx, collabdict.Summand{Values: []float64{1, 2}, Blocks: blocks}); err != nil {
				return err
			}
			if rank == 2 {
				return bad
			}
			_, err := g.Gather(ctx, "test", nil)
			if err == nil && g.Membership().Size != size-1 {
				t.Errorf("view of %d members, want %d", g.Membership().Size, size-1)
			}
			return err
		})
		if !errors.Is(err, bad) || !strings.HasPrefix(err.Error(), "p0003: ") {
			t.Errorf("got %v, want the error of p0003", err)
		}
		for rank, m := range report.Members {
			var left *consensus.LostError
			if rank != 2 && (m.Err == nil) != goOn || !goOn && rank != 2 && (!errors.As(m.Err, &left) || left.Names[0] != "p0003") {
				t.Errorf("%d members: participant %d ended with %v", size, rank, m.Err)
			}
		}
	}
}

func TestCancellationEndsTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := run(ctx, config(3), func(ctx context.Context, rank int, g collabdict.Group) error {
		if rank == 1 {
			cancel()
		}
		_, err := g.Gather(ctx, "test", nil)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestUnequalCallsAreNamed(t *testing.T) {
	_, err := run(t.Context(), config(3), func(ctx context.Context, rank int, g collabdict.Group) error {
		x := make([]float64, 1+rank/2)
		_, err := g.Sum(ctx, collabdict.Summand{Values: x, Blocks: []collabdict.Block{{Len: len(x), Bound: 1}}})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "p0003 calls a sum of 2 values") && !strings.Contains(err.Error(), "calls a sum of 1 values") {
		t.Errorf("got %v", err)
	}
}

func TestSizesThatCannotRun(t *testing.T) {
	for size, want := range map[int]string{1: "at least 2", 2: "at least 3 with protection"} {
		_, err := run(t.Context(), config(size), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d participants: got %v, want %q", size, err, want)
		}
	}
}
