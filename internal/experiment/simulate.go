package experiment

import (
	"context"
	"encoding/hex"
	"sync"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/internal/task"
	"github.com/collabdict/collabdict/netsim"
)

// Run is what a simulation made: the result and the participants' models.
type Run struct {
	Report *report.Run
	Models []*model.Model // by participant
}

// Simulate trains the participants together over a simulated network and returns
// their models and figures. Of the result, seconds and model files are left to
// the caller. onRound sees the rounds of the first participant.
func Simulate(ctx context.Context, t task.Task, parts []dataset.Participant, onRound func(task.Progress)) (*Run, error) {
	return SimulateAgainst(ctx, 0, t, parts, onRound)
}

// SimulateAgainst is Simulate under the eyes of an adversary.
func SimulateAgainst(ctx context.Context, a Adversary, t task.Task, parts []dataset.Participant, onRound func(task.Progress)) (*Run, error) {
	if err := a.Check(len(parts)); err != nil {
		return nil, err
	}
	c := netsim.Config{Settings: t.Settings, Seed: t.Seed}
	for _, p := range parts {
		c.Names = append(c.Names, p.Name)
	}
	watch := a.watch(t, len(parts))
	if a > 0 {
		c.Observer = watch
	}
	results := make([]*task.Result, len(parts))
	var show sync.Mutex
	cost, err := netsim.Run(ctx, c,
		func(ctx context.Context, rank int, g collabdict.Group) error {
			var err error
			results[rank], err = t.Train(ctx, g, parts[rank], func(p task.Progress) {
				if rank == 0 && onRound != nil {
					show.Lock()
					defer show.Unlock()
					onRound(p)
				}
			})
			return err
		})
	if err != nil {
		return nil, err
	}
	run := &Run{Report: Summary(t, c.Names, results[0])}
	run.network(t, c.Names, cost)
	if a > 0 {
		a.enter(run.Report, t, c.Names, watch)
	}
	for i, r := range results {
		run.add(r, parts[i], hex.EncodeToString(cost.Members[i].Digest[:]))
	}
	addLogliks(run, parts)
	run.Report.Aggregate()
	return run, nil
}

// add enters a participant's part.
func (r *Run) add(result *task.Result, p dataset.Participant, digest string) {
	m := result.Model
	m.Manifest.Views = r.Report.Views
	m.Manifest.Privacy.Protection = r.Report.Protection
	m.Manifest.Privacy.LoneChanges = r.Report.LoneChanges
	m.Manifest.Digest = digest
	r.Models = append(r.Models, m)
	r.Report.Participants = append(r.Report.Participants, Participant(m, p))
	for _, w := range result.Warnings {
		r.Report.Warnings = append(r.Report.Warnings, p.Name+": "+w)
	}
}

// network enters who was in the sums, and what they cost.
func (r *Run) network(t task.Task, names []string, cost *netsim.Report) {
	n := int64(len(cost.Members))
	for _, m := range cost.Members {
		r.Report.BytesSent += m.Bytes / n
		r.Report.Messages += m.Messages / n
		r.Report.Consensus.Iterations = m.Rounds
		r.Report.Consensus.Error = max(r.Report.Consensus.Error, m.Difference)
		r.Report.SetupRounds = m.Setup
	}
	l := report.NewLedger(names, cost.Rules.Colluders)
	for _, d := range cost.Members[0].Decisions {
		l.Add(d)
	}
	EnterLedger(r.Report, t.Settings, len(names), l)
}
