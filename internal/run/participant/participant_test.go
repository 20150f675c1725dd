package participant_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/run/launch"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/simulate"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/node"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func learn(t *testing.T, rounds int) *pipeline.Task {
	t.Helper()
	return pipelinetest.Task(t, "ggm", "components=2", fmt.Sprintf("rounds=%d", rounds), "tol=0", "rho=1", "seed=2", "standardise=own")
}

// configs lays participants out on this machine.
func configs(t *testing.T, size int, k *pipeline.Task) ([]participant.Config, []dataset.Participant) {
	t.Helper()
	parts := plants.Generate(plants.Spec{Participants: size, Rows: 60, Columns: 3, Patterns: 2}, 4)
	dir := t.TempDir()
	var names []string
	for _, p := range parts {
		names = append(names, p.Name)
	}
	layout, err := launch.Layout(dir, names)
	if err != nil {
		t.Fatal(err)
	}
	var members []node.Member
	for _, m := range layout {
		member, err := node.NewMember(m.Name, m.ID, m.Addrs)
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, member)
	}
	var all []participant.Config
	for i, p := range parts {
		own := filepath.Join(dir, p.Name)
		all = append(all, participant.Config{
			Task: k, Data: p, Out: own,
			Node: node.Config{Name: p.Name, Dir: own, Listen: layout[i].Addrs, Members: members, JoinTimeout: time.Minute},
		})
	}
	return all, parts
}

// runAll runs the participants, each in its context.
func runAll(contexts []context.Context, all []participant.Config) ([]*participant.Result, []error) {
	results, errs := make([]*participant.Result, len(all)), make([]error, len(all))
	var running sync.WaitGroup
	for i, c := range all {
		running.Go(func() { results[i], errs[i] = run(contexts[i], c) })
	}
	running.Wait()
	return results, errs
}

// run runs a participant as a new process does.
func run(ctx context.Context, c participant.Config) (r *participant.Result, err error) {
	if c.Journal, err = journal.Open(c.Node.Dir, time.Now); err != nil {
		return nil, err
	}
	return participant.Run(ctx, c)
}

// The state of a run takes no more space than MostState returns, and at least a twentieth of it.
func TestMostState(t *testing.T) {
	testkit.SkipRaced(t)
	for kind, options := range map[string][]string{
		"ggm":  {"components=8", "rounds=40", "tol=0", "rho=1"},
		"bvae": {"rounds=20", "hidden=200,100", "epochs=1", "batch=20"},
	} {
		k := pipelinetest.Task(t, kind, options...)
		all, parts := configs(t, 3, k)
		if err := errors.Join(second(runAll([]context.Context{t.Context(), t.Context(), t.Context()}, all))...); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(all[0].Out, store.StateFile))
		if err != nil {
			t.Fatal(err)
		}
		if got, most := info.Size(), k.MostState(len(parts[0].Columns)); got > most || got < most/20 {
			t.Errorf("%s: the state has %d bytes, want at most %d and no less than a twentieth", kind, got, most)
		}
	}
}

func second[A, B any](_ A, b B) B { return b }

// Real nodes and the simulation train the same models up to the rounding of the chunks, which
// differ.
func TestRealNodesAgreeWithTheSimulation(t *testing.T) {
	k := learn(t, 8)
	all, parts := configs(t, 3, k)
	results, errs := runAll([]context.Context{t.Context(), t.Context(), t.Context()}, all)
	simulated, err := simulate.Simulate(t.Context(), k, parts, nil)
	if err = errors.Join(append(errs, err)...); err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		saved, err := model.ReadFile(filepath.Join(all[i].Out, participant.ModelFile))
		if err != nil {
			t.Fatal(err)
		}
		if saved.Manifest.Digest != results[0].Model.Manifest.Digest {
			t.Errorf("%s has another digest than %s", parts[i].Name, parts[0].Name)
		}
		want := score(simulated.Models[i], parts[i].Test.(rows.Matrix).Dense)
		for j, got := range score(saved, parts[i].Test.(rows.Matrix).Dense) {
			if math.Abs(got-want[j]) > 1e-4*math.Abs(want[j])+1e-4 {
				t.Fatalf("%s, row %d: score %g, simulated %g", parts[i].Name, j, got, want[j])
			}
		}
		p := r.Report.Participants[0]
		if len(p.History) != 8 || r.Report.SetupRounds != simulated.Report.SetupRounds || r.Report.BytesSent == 0 || p.LoglikRows != "own" {
			t.Errorf("result of %s: %+v", p.Name, r.Report)
		}
	}
}

// The result and the model record that anyone could be a member of the run.
func TestOpenSeatsAreInTheResult(t *testing.T) {
	all, _ := configs(t, 3, learn(t, 1))
	first := all[0].Node.Members[0]
	for i := range all {
		c := &all[i].Node
		c.Members, c.Expect, c.Open = nil, 3, true
		if i > 0 {
			c.Peers = []string{first.Addrs[0] + "/p2p/" + first.ID.String()}
		}
	}
	results, errs := runAll([]context.Context{t.Context(), t.Context(), t.Context()}, all)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		saved, err := model.ReadFile(filepath.Join(all[i].Out, participant.ModelFile))
		if err != nil {
			t.Fatal(err)
		}
		if !r.Report.OpenSeats || !saved.Manifest.Privacy.OpenSeats || !strings.Contains(strings.Join(r.Report.Warnings, "\n"), "could take a seat") {
			t.Errorf("member %d: result %v, model %v, warnings %q", i, r.Report.OpenSeats, saved.Manifest.Privacy.OpenSeats, r.Report.Warnings)
		}
	}
}

// If a member is stopped while its learner is busy, the others learn of it at once, and the
// model of its last round is saved.
func TestAMemberThatIsStoppedLeavesAtOnce(t *testing.T) {
	const stopped = consensus.StartRounds + 2 // the others would wait for two minutes in the rounds before
	all, _ := configs(t, 4, learn(t, stopped+4))
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan struct{})
	all[0].OnRound = func(p algorithm.Progress, _ node.Status) {
		if p.Number == stopped {
			cancel()
			<-told // busy until another member knows
		}
	}
	var once sync.Once
	all[1].OnRound = func(_ algorithm.Progress, s node.Status) {
		for _, a := range s.Absent {
			if a.Name == all[0].Data.Name && strings.Contains(a.Reason, "stopped by its operator") {
				once.Do(func() { close(told) })
			}
		}
	}
	results, errs := runAll([]context.Context{ctx, t.Context(), t.Context(), t.Context()}, all)
	if !errors.Is(errs[0], context.Canceled) || results[0] == nil || results[0].Report.Rounds != stopped {
		t.Errorf("the stopped member: %v, %+v", errs[0], results[0])
	}
	if err := errors.Join(errs[1:]...); err != nil {
		t.Error(err)
	}
}

// score returns a model's scores of rows in the units of the data.
func score(m *model.Model, rows *mat.Dense) []float64 {
	scores, err := m.Scores(m.Trained(mat.DenseCopyOf(rows)))
	if err != nil {
		panic(err)
	}
	return scores
}
