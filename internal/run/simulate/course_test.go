package simulate

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/scenario"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/netsim"
)

// A course has all rounds with their traffic, and the times at which members took part in sums,
// were down or were cut off.
func TestCourse(t *testing.T) {
	k, _ := example(t, algorithm.Global)
	k.Settings.Scheme = consensus.Exact
	set(t, k, "rounds", "8")
	set(t, k, "tol", "0")
	parts := plants.Generate(plants.Spec{Participants: 7, Rows: 40, Columns: 3, Patterns: 2}, 2)
	faults, err := scenario.Parse("--faults", "crash:node=3,round=6,for=30s;partition:a=1-5|b=6-7,round=5,for=20s;loss:rate=0.001")
	if err != nil {
		t.Fatal(err)
	}
	run, err := SimulateUnder(t.Context(), Conditions{Scenario: faults, Converge: true}, k, parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := run.Course
	if len(c.Rounds) != 9 || c.Rounds[0].Objective.Applies || c.Convergence != nil {
		t.Fatalf("rounds %+v, convergence %v", c.Rounds, c.Convergence)
	}
	var bytes, all int64
	for i, r := range c.Rounds {
		if r.Round != i || r.Members+len(r.Missing) != 7 || r.Traffic.Messages <= 0 {
			t.Errorf("round %d: %+v", i, r)
		}
		if i > 0 && r.Objective.Value != run.Report.Participants[0].History[i-1].Objective {
			t.Errorf("round %d: objective %s", i, r.Objective)
		}
		if i > 0 && r.Traffic.Virtual <= c.Rounds[i-1].Traffic.Virtual {
			t.Errorf("round %d ends at %g s, not after the one before", i, r.Traffic.Virtual)
		}
		bytes += r.Traffic.Bytes
	}
	for _, b := range c.Sent {
		all += b
	}
	if bytes > all || bytes < all*9/10 || run.Report.BytesSent != all/7 {
		t.Errorf("%d bytes in the rounds, %d in all, mean %d", bytes, all, run.Report.BytesSent)
	}
	if !reflect.DeepEqual(c.Rounds[6].Missing, []string{parts[2].Name}) || len(c.Down[2]) != 1 || c.Down[0] != nil {
		t.Errorf("missing %v, down %v", c.Rounds[6].Missing, c.Down)
	}
	if len(c.Faults) != 2 || c.Faults[0].Label != "loss 0.1 %" || c.Faults[1].Label != "split 1-5 | 6-7" || c.Faults[1].To-c.Faults[1].From != 20*time.Second {
		t.Errorf("faults %+v", c.Faults)
	}
	for i, r := range run.Report.RoundRows() { // rounds as known without a simulation
		if of := c.Rounds[i+1]; r.Objective != of.Objective || r.Members != of.Members || strings.Join(r.Missing, " ") != strings.Join(of.Missing, " ") {
			t.Errorf("from views and history %+v, want %+v", r, of)
		}
	}
}

// A frames also records all vectors that travel in sessions.
type frames struct {
	*inputs
	sent map[uint64][]map[int][]uint64 // by slot, round and member
}

func (f *frames) Sent(from, to int, m consensus.Message) {
	f.inputs.Sent(from, to, m)
	if s, is := m.Body.(*consensus.Step); is && s.Lane == 0 {
		for len(f.sent[m.Slot]) <= int(s.Round) {
			f.sent[m.Slot] = append(f.sent[m.Slot], map[int][]uint64{})
		}
		f.sent[m.Slot][s.Round][from] = s.Words
	}
}

// The repeated session is that of the run: the vectors that members sent have the same
// disagreement.
func TestConvergenceIsThatOfTheRun(t *testing.T) {
	const size = 12
	s := consensus.Settings{Step: session.Chebyshev, Graph: graph.HamiltonCycles, Protect: chunking.Chunks}
	f := &frames{newInputs(), map[uint64][]map[int][]uint64{}}
	net, err := netsim.New(netsim.Config{Names: netsim.Names(size), Settings: s, Seed: 5, Observer: f})
	if err != nil {
		t.Fatal(err)
	}
	cost, err := net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) error {
		g.StartRound(1, [32]byte{})
		_, err := g.Sum(ctx, collabdict.Summand{Values: []float64{float64(rank), 1, -2}, Blocks: []collabdict.Block{{Len: 3, Bound: 20}}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	c := f.convergence(s, 5, cost.Slots)
	if c == nil {
		t.Fatal("no session")
	}
	first := 0.0
	for i, round := range f.sent[cost.Slots[len(cost.Slots)-1].Decision.Slot] {
		got := 0.0
		for j := range round[0] {
			mean := 0.0
			for _, x := range round {
				mean += math.Float64frombits(x[j]) / size
			}
			for _, x := range round {
				d := math.Float64frombits(x[j]) - mean
				got += d * d
			}
		}
		if i == 0 {
			first = got
		}
		if want := c.Measured[i]; math.Abs(math.Sqrt(got/first)-want) > 1e-6*want+1e-15 {
			t.Errorf("iteration %d: sent vectors disagree by %g, repeated ones by %g", i, math.Sqrt(got/first), want)
		}
	}
}

// The disagreement stays below the prediction, and recording it changes no result.
func TestConvergence(t *testing.T) {
	testkit.SkipRaced(t) // TestLowDiversity and TestSimulationsUnderObservation have the same goroutines
	k, _ := example(t, algorithm.Global)
	set(t, k, "rounds", "3")
	parts := plants.Generate(plants.Spec{Participants: 12, Rows: 40, Columns: 3, Patterns: 2}, 2)
	run, err := SimulateUnder(t.Context(), Conditions{Converge: true, Adversary: Adversary{Coalition: 1}}, k, parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := run.Course.Convergence
	if c == nil || c.Round != 3 || c.Members != 12 || len(c.Measured) != run.Report.Consensus.Iterations+1 || len(c.Predicted) != len(c.Measured) {
		t.Fatalf("%+v with %d iterations", c, run.Report.Consensus.Iterations)
	}
	for i, got := range c.Measured {
		if got > c.Predicted[i]*(1+1e-9)+1e-15 || i > 0 && i < len(c.Measured)-3 && got < c.Predicted[i]/1e3 {
			t.Errorf("iteration %d: measured %g, predicted %g", i, got, c.Predicted[i])
		}
	}
	unwatched, err := Simulate(t.Context(), k, parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := run.Report.Participants[0].Digest, unwatched.Report.Participants[0].Digest; a != b || unwatched.Course.Convergence != nil {
		t.Errorf("digest %s, without watching %s", a, b)
	}
}

func TestFaultLabels(t *testing.T) {
	names := netsim.Names(9)
	for _, test := range []struct {
		fault netsim.Fault
		want  string
	}{
		{netsim.Churn{Rate: 0.05}, "churn 5 %"},
		{netsim.Slow{Member: 1, Factor: 20}, "p0002 ×20 slower"},
		{netsim.Partition{Sides: [][]int{{3, 0, 1, 2}, {6, 8}}}, "split 1-4 | 7+9"},
		{netsim.NAT{Members: []int{4}}, "NAT 5"},
		{netsim.Bandwidth{Up: 1}, "narrow links"},
		{netsim.Flap{Member: 2}, "p0003 links flap"},
		{netsim.Clock{Member: 0, Rate: 2}, "p0001 own clock"},
		{netsim.Reorder{Rate: 0.5}, "reordered 50 %"},
		{netsim.Duplicate{Rate: 1}, "duplicates 100 %"},
	} {
		if got := faultLabel(test.fault, names); got != test.want {
			t.Errorf("%T: %q, want %q", test.fault, got, test.want)
		}
	}
}
