package simulate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/scenario"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
	"github.com/collabdict/collabdict/netsim"
)

// seeds returns the number of seeds of a test: few, or the value of COLLABDICT_SIM_SEEDS.
func seeds(t *testing.T, few uint64) uint64 {
	t.Helper()
	s := os.Getenv("COLLABDICT_SIM_SEEDS")
	switch {
	case s == "" && testkit.Raced:
		return 1
	case s == "":
		return few
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// unequal returns seven plants with different numbers of rows.
func unequal(seed uint64) []dataset.Participant {
	const fewest, more = 60, 17
	parts := plants.Generate(plants.Spec{Participants: 7, Rows: fewest + 6*more, Columns: 5, Patterns: 3, TestRows: 10}, seed)
	for i := range parts {
		all := dense(parts[i].Train)
		_, dim := all.Dims()
		parts[i].Train = rows.InMemory(mat.DenseCopyOf(all.Slice(0, fewest+more*((i*3)%7), 0, dim)))
	}
	return parts
}

func churn(t *testing.T) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("churn", "churn:rate=0.05")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A trained is the outcome of a simulated run.
type trained struct {
	task    *pipeline.Task
	results []*pipeline.Result
	report  *netsim.Report
	entered *entered
}

// entered notes the vectors that running totals count.
type entered struct {
	observers
	vectors map[uint64]map[int][]float64 // by slot and member
}

func (e *entered) Decided(member int, d *consensus.Decision, counted []float64) {
	e.observers.Decided(member, d, counted)
	if e.vectors[d.Slot] == nil {
		e.vectors[d.Slot] = map[int][]float64{}
	}
	e.vectors[d.Slot][member] = counted
}

// play trains the participants over a network under the conditions, after the changes to its
// configuration.
func play(t *testing.T, k *pipeline.Task, parts []dataset.Participant, under Conditions, change ...func(*netsim.Config)) trained {
	t.Helper()
	c, err := under.config(k, parts)
	if err != nil {
		t.Fatal(err)
	}
	for _, add := range change {
		add(&c)
	}
	e := &entered{vectors: map[uint64]map[int][]float64{}}
	if c.Observer != nil {
		e.observers = observers{c.Observer}
	}
	c.Observer = e
	net, err := netsim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	r := trained{task: k, entered: e, results: make([]*pipeline.Result, len(parts))}
	r.report, err = net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) error {
		var err error
		r.results[rank], err = k.Fit(ctx, g, parts[rank], noise(k.Seed, rank), nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// nonceSlots is the number of slots in which the members of a simulation agree on a nonce.
const nonceSlots = 2

// replayed trains the participants once more, over plain sums of the vectors with which each is
// counted, and returns their models.
func (r trained) replayed(t *testing.T, parts []dataset.Participant) ([]*pipeline.Result, *grouptest.Replay) {
	t.Helper()
	var log []grouptest.Slot
	for _, d := range r.report.Slots {
		s := grouptest.Slot{Round: int(d.Decision.Round), Total: d.Decision.Total, Running: d.Decision.Running, Entered: r.entered.vectors[d.Decision.Slot]}
		for _, m := range d.Decision.Members {
			s.Members = append(s.Members, int(m))
		}
		log = append(log, s)
	}
	replay := grouptest.NewReplay(len(parts), r.task.Settings.Scheme, log)
	results := make([]*pipeline.Result, len(parts))
	done := make(chan struct{})
	for i := range parts {
		go func() {
			defer func() { done <- struct{}{} }()
			var err error
			if results[i], err = r.task.Fit(t.Context(), replay.Seat(i, nonceSlots), parts[i], noise(r.task.Seed, i), nil); err != nil {
				replay.Fail(err)
			}
		}()
	}
	for range parts {
		<-done
	}
	if err := replay.Err(); err != nil {
		t.Fatal(err)
	}
	return results, replay
}

// meanLoglik returns the mean log-likelihood of all rows, each under its owner's model.
func (r trained) meanLoglik(parts []dataset.Participant) float64 {
	var sum, n float64
	for i, p := range parts {
		m := r.results[i].Model
		of, _ := p.Train.Dims()
		mean, err := m.Scorer().MeanLogLik(m.Rows(p.Train))
		if err != nil {
			panic(err)
		}
		sum += float64(of) * mean
		n += float64(of)
	}
	return sum / n
}

// absences counts the missing members of all sums of the rounds.
func (r trained) absences() (n int) {
	for _, s := range r.report.Slots {
		if s.Decision.Round > 0 {
			n += len(r.results) - len(s.Decision.Members)
		}
	}
	return n
}

// Under churn the totals are the sums of the last counted vectors, and the models follow from
// them, to the last bit. The objective never falls, and most models are as good as without
// churn. All rounds are run, since a stopping rule would stop at the optimum for the last
// vectors of absent members. COLLABDICT_SIM_TOL sets a stopping rule.
func TestChurnOverRunningTotals(t *testing.T) {
	n, tol := seeds(t, testkit.LongOr[uint64](5, 2)), "tol="+cmp.Or(os.Getenv("COLLABDICT_SIM_TOL"), "0")
	rounds := 60
	if testkit.Raced {
		rounds = 20 // further rounds only repeat the numerics
	}
	var differences []float64
	var worst, quanta, fall float64
	absent, far := 0, 0
	for seed := range n {
		k := func() *pipeline.Task {
			return pipelinetest.Task(t, "ggm", "components=3", fmt.Sprint("rounds=", rounds), tol, "rho=1", fmt.Sprint("seed=", seed), "consensus.scheme=exact")
		}
		parts := unequal(seed)
		run := play(t, k(), parts, Conditions{Scenario: churn(t)})
		absent += run.absences()
		again, replay := run.replayed(t, parts)
		for i, r := range run.results {
			if bits(r) != bits(again[i]) {
				t.Errorf("seed %d: member %d: the model has other bits than the replayed one", seed, i)
			}
			last := math.Inf(-1)
			for _, h := range r.Model.Manifest.Privacy.History {
				if f := (last - h.Objective) / math.Abs(h.Objective); f > fall {
					fall = f
				}
				if h.Objective < last-1e-10*math.Abs(last) {
					t.Errorf("seed %d: member %d: round %d: the objective falls from %.12g to %.12g", seed, i, h.Round, last, h.Objective)
				}
				last = h.Objective
			}
		}
		worst, quanta = max(worst, replay.Apart()), max(quanta, replay.Quanta())
		d := run.meanLoglik(parts) - play(t, k(), parts, Conditions{}).meanLoglik(parts)
		if math.Abs(d) > 0.01 {
			t.Logf("seed %d: the mean log-likelihood differs by %+.4f from that without churn", seed, d)
			far++
		}
		differences = append(differences, d)
	}
	if quanta > 0 || worst > 1e-13 {
		t.Errorf("a running total is %g quanta from the plain one, want the same bits; another sum %.2g", quanta, worst)
	}
	if absent < int(n) {
		t.Errorf("members were absent %d times in %d runs: nothing is tested", absent, n)
	}
	slices.Sort(differences)
	// A single run may settle elsewhere, so the median of at least five runs counts.
	if m := differences[len(differences)/2]; n >= 5 && !(math.Abs(m) <= 0.01) {
		t.Errorf("the median mean log-likelihood differs by %+.4f from that without churn, want at most .01", m)
	}
	t.Logf("seeds  absences  quanta  sums apart  largest fall  log-likelihood: min     median      max  beyond .01")
	t.Logf("%5d  %8d  %6.3g  %10.2g  %12.2g  %+20.5f  %+.5f  %+.5f  %10d", n, absent, quanta, worst, fall, differences[0], differences[len(differences)/2], differences[len(differences)-1], far)
}

// bits returns the digest of all parameters of a mixture, including the participant's own
// weights.
func bits(r *pipeline.Result) [32]byte {
	return r.Model.Learned.(interface{ Digest(weights bool) [32]byte }).Digest(true)
}

// Under churn, differences of running totals reveal no member. Differences of sums over the
// present members reveal every member that was lost alone.
func TestDifferencingUnderChurn(t *testing.T) {
	testkit.SkipRaced(t)
	n := seeds(t, testkit.LongOr[uint64](5, 2))
	for _, views := range []bool{false, true} {
		var medians []float64
		hit, alone, found := 0, 0, 0
		for seed := range n {
			k := pipelinetest.Task(t, "ggm", "components=3", "rounds=30", "tol=0", "rho=1", fmt.Sprintf("seed=%d", seed))
			run, err := SimulateUnder(t.Context(), Conditions{
				Adversary: Adversary{Differencing: true}, Scenario: churn(t), ViewTotals: views,
			}, k, unequal(seed), nil)
			if err != nil {
				t.Fatal(err)
			}
			d := run.Report.Protection.Differencing
			medians = append(medians, d.ErrorMedian)
			if len(d.Recovered) > 0 {
				hit++
			}
			if !views && len(d.Recovered) > 0 {
				t.Errorf("seed %d: differences of totals show %v", seed, d.Recovered)
			}
			for _, name := range lostAlone(run) {
				alone++
				if slices.Contains(d.Recovered, name) {
					found++
				} else if views {
					t.Errorf("seed %d: %s was lost alone, and is not among those recovered: %v", seed, name, d.Recovered)
				}
			}
		}
		if alone < int(n) {
			t.Errorf("%d members were lost alone in %d runs: nothing is tested", alone, n)
		}
		slices.Sort(medians)
		t.Logf("over views: %-5v  %d of %d runs show members; %d of %d lost alone; median of error_median %.3g", views, hit, n, found, alone, medians[len(medians)/2])
	}
}

// lostAlone returns the members by which alone two neighbouring views differ.
func lostAlone(run *Run) (names []string) {
	views := run.Report.Views
	for i := range len(views) - 1 {
		var differ []string
		for _, p := range run.Report.Participants {
			if slices.Contains(views[i].Members, p.Name) != slices.Contains(views[i+1].Members, p.Name) {
				differ = append(differ, p.Name)
			}
		}
		if len(differ) == 1 && !slices.Contains(names, differ[0]) {
			names = append(names, differ[0])
		}
	}
	return names
}
