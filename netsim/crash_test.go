package netsim

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/testkit"
)

// sums is a participant that makes one sum per round, of vectors that every test knows. It
// keeps the totals of its last process.
type sums struct {
	rounds int
	totals [][][]float64 // totals by participant and round
}

var sumBlocks = []collabdict.Block{{Len: 3, Bound: 1 << 20}}

// vector returns whole numbers, so that their sums are exact.
func vector(rank, round int) []float64 {
	return []float64{float64(rank + 1), float64((rank + 1) * round), -float64((rank*7+round*13)%101) / 4}
}

func (s *sums) part(ctx context.Context, rank int, g collabdict.Group) error {
	s.totals[rank] = nil
	for r := range s.rounds {
		g.StartRound(r+1, [32]byte{})
		total, missed := g.TakeMissed()
		if !missed {
			var err error
			if total, err = g.Sum(ctx, collabdict.Summand{Values: vector(rank, r+1), Blocks: sumBlocks}); err != nil {
				return err
			}
		}
		s.totals[rank] = append(s.totals[rank], total)
	}
	return nil
}

var exactly = consensus.Settings{Scheme: consensus.Exact, Protect: chunking.Chunks}

// simulate makes the sums and checks each one against its decision: all members have the same
// bits, which are the sum over the decision's members.
func simulate(t testing.TB, c Config, rounds int) (*Report, *sums) {
	t.Helper()
	s := &sums{rounds: rounds, totals: make([][][]float64, len(c.Names))}
	report, err := run(t.Context(), c, s.part)
	if err != nil {
		t.Fatalf("%v\n%s", err, replay(t, c.Seed))
	}
	log := report.Members[0].Decisions
	for rank, m := range report.Members {
		if m.Err != nil {
			continue
		}
		if len(m.Decisions) != len(log) || m.Digest != report.Members[0].Digest || !reflect.DeepEqual(s.totals[rank], s.totals[0]) {
			t.Fatalf("participant %d does not agree with the first: %d decisions and %d\n%s", rank+1, len(m.Decisions), len(log), replay(t, c.Seed))
		}
	}
	for _, d := range log {
		if d.Kind != consensus.Sum {
			continue
		}
		want := make([]float64, 3)
		for _, member := range d.Members {
			for i, v := range vector(int(member), int(d.Round)) {
				want[i] += v
			}
		}
		if !slices.EqualFunc(d.Total, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-2 }) || !slices.Equal(d.Total, s.totals[0][d.Round-1]) {
			t.Fatalf("round %d over %d members: %v, want %v\n%s", d.Round, len(d.Members), d.Total, want, replay(t, c.Seed))
		}
	}
	return report, s
}

// replay returns the command that repeats one seed of a test.
func replay(t testing.TB, seed uint64) string {
	name, _, _ := strings.Cut(t.Name(), "/")
	return fmt.Sprintf("seed %d; again: COLLABDICT_SIM_SEED=%d go test -run '^%s$' ./netsim", seed, seed, name)
}

// seeds returns the seeds of a test: a few, or as many as COLLABDICT_SIM_SEEDS says, or the one
// of COLLABDICT_SIM_SEED.
func seeds(t testing.TB, few int) (list []uint64) {
	t.Helper()
	if s := os.Getenv("COLLABDICT_SIM_SEED"); s != "" {
		seed, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return []uint64{seed}
	}
	if s := os.Getenv("COLLABDICT_SIM_SEEDS"); s != "" {
		var err error
		if few, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	if testkit.Raced {
		few = min(few, 3) // all have the same goroutines
	}
	for i := range few {
		list = append(list, uint64(i+1))
	}
	return list
}

// storm is a consortium under churn and loss.
func storm(seed uint64, size int) Config {
	return Config{
		Names: Names(size), Settings: exactly, Seed: seed, Compute: time.Second,
		Latency: LogNormal{Median: 20 * time.Millisecond, Sigma: 0.5},
		Faults:  []Fault{Churn{Rate: 0.05}, Loss{Rate: 0.01}},
	}
}

func TestChurnAndLoss(t *testing.T) {
	rounds := 20
	if testkit.Raced {
		rounds = 5
	}
	for _, seed := range seeds(t, 3) {
		report, _ := simulate(t, storm(seed, 20), rounds)
		absent := 0
		for _, d := range report.Members[0].Decisions {
			absent += len(d.Missing)
		}
		t.Logf("seed %d: %s of virtual time, %d times that a member was not in a sum", seed, report.Virtual.Round(time.Second), absent)
		if absent == 0 {
			t.Errorf("seed %d: nobody was ever missing", seed)
		}
	}
}

// digest covers all results of a run.
func digest(r *Report, s *sums) [32]byte {
	h := sha256.New()
	for rank, m := range r.Members {
		for _, d := range m.Decisions {
			h.Write(d.Chain[:])
		}
		fmt.Fprintln(h, m.Messages, m.Bytes, m.Rounds, m.Setup, m.Err)
		for _, total := range s.totals[rank] {
			if err := binary.Write(h, binary.LittleEndian, total); err != nil {
				panic(err)
			}
		}
	}
	fmt.Fprintln(h, r.Virtual)
	return [32]byte(h.Sum(nil))
}

func TestAStormIsReplayedWhateverGOMAXPROCS(t *testing.T) {
	play := func(procs int, seed uint64) [32]byte {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		return digest(simulate(t, storm(seed, 12), 8))
	}
	if play(1, 7) != play(2, 7) {
		t.Error("one processor gives another run than two")
	}
	if play(2, 7) == play(2, 8) {
		t.Error("two seeds give the same run")
	}
}
