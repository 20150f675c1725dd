package node_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
	"github.com/collabdict/collabdict/node"
)

const stoppedRounds = 10

// A stopped participant keeps the model of its last round, and the others continue. When it is
// restarted it catches up, and all end with the same model. The test is in this package, not in
// participant, since only this one has hosts in virtual time.
func TestAStoppedParticipant(t *testing.T) {
	testkit.SkipRaced(t) // TestAMemberComesBack and the tests of package participant have the same goroutines
	node.Simulate(t, 20*time.Millisecond, 20_000_000, func(t *testing.T, s *node.Simulation) {
		all := participants(t, s)
		stopped, stop := context.WithCancel(t.Context())
		defer stop()
		away := make(chan struct{})
		for i := range all {
			all[i].OnRound = func(p algorithm.Progress, _ node.Status) {
				switch {
				case i == 1 && p.Number == 3:
					stop()
				case i == 0 && p.Number == 5:
					close(away)
				}
				<-time.After(2 * time.Second) // virtual time of a local update
			}
		}
		ends := make([]<-chan end, len(all))
		for i, c := range all {
			ctx := t.Context()
			if i == 1 {
				ctx = stopped
			}
			ends[i] = play(ctx, t, c)
		}
		if e := <-ends[1]; !errors.Is(e.err, context.Canceled) || e.result == nil || e.result.Report.Rounds != 3 {
			t.Errorf("the stopped participant ended with %v, %+v", e.err, e.result)
		}
		<-away // otherwise it is admitted again before a sum without it
		all[1].OnRound = nil
		ends[1] = play(t.Context(), t, all[1])
		digest := ""
		for i, c := range ends {
			e := <-c
			if e.err != nil {
				t.Fatalf("participant %d: %v", i, e.err)
			}
			checkViews(t, all[i].Data.Name, e.result)
			d := e.result.Report.Participants[0].Digest
			if i == 0 {
				digest = d
			}
			if d == "" || d != digest || e.result.Report.Rounds != stoppedRounds {
				t.Errorf("%s: digest %q after %d rounds, the first has %q", all[i].Data.Name, d, e.result.Report.Rounds, digest)
			}
		}
	})
}

// participants creates participants on a network.
func participants(t *testing.T, s *node.Simulation) []participant.Config {
	t.Helper()
	k := pipelinetest.Task(t, "ggm", "components=2", fmt.Sprintf("rounds=%d", stoppedRounds), "tol=0", "rho=1", "seed=2")
	k.Settings = consensus.Settings{Protect: chunking.Chunks}
	parts := plants.Generate(plants.Spec{Participants: 5, Rows: 60, Columns: 3, Patterns: 2}, 4)
	all := make([]participant.Config, len(parts))
	var members []node.Member
	for i, p := range parts {
		own := filepath.Join(t.TempDir(), p.Name)
		id, err := node.Identity(own)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = participant.Config{Task: k, Data: p, Out: own, Node: node.Config{Name: p.Name, Dir: own, JoinTimeout: time.Minute}}
		s.Place(&all[i].Node, i, 0)
		members = append(members, node.Member{Name: p.Name, ID: id, Addrs: all[i].Node.Listen})
	}
	for i := range all {
		all[i].Node.Members = members
	}
	return all
}

// An end is the result of a participant's part.
type end struct {
	result *participant.Result
	err    error
}

// play runs a participant, for ten minutes at most, and returns when its host is on the
// network.
func play(ctx context.Context, t *testing.T, c participant.Config) <-chan end {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	t.Cleanup(cancel)
	there, ended := make(chan struct{}), make(chan end, 1)
	once := sync.OnceFunc(func() { close(there) })
	c.Node.OnStatus = func(node.Status) { once() }
	go func() {
		defer once()
		var e end
		if c.Journal, e.err = journal.Open(c.Node.Dir, time.Now); e.err == nil {
			e.result, e.err = participant.Run(ctx, c)
		}
		ended <- e
	}()
	<-there
	return ended
}

// checkViews asserts that the views show plant-b's absence, in the middle.
func checkViews(t *testing.T, name string, r *participant.Result) {
	t.Helper()
	views := r.Report.Views
	if len(views) < 3 || len(views[0].Members) != 5 || len(views[len(views)-1].Members) != 5 {
		t.Fatalf("%s: views %+v", name, views)
	}
	v := views[1]
	if len(v.Members) != 4 || len(v.Missing) != 1 || v.Missing[0] != (report.Missing{Name: "plant-b", Reason: "it was stopped by its operator"}) || v.Round < 3 {
		t.Errorf("%s: view %+v", name, v)
	}
	if len(r.Model.Manifest.Views) != len(views) {
		t.Errorf("%s: the model has the views %+v", name, r.Model.Manifest.Views)
	}
}
