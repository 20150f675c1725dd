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
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	results := make([]*task.Result, len(parts))
	var show sync.Mutex
	cost, err := netsim.Run(ctx, netsim.Config{Names: names, Settings: t.Settings, Seed: t.Seed},
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
	run := &Run{Report: Summary(t, names, results[0])}
	run.network(cost)
	for i, r := range results {
		m := r.Model
		m.Manifest.Views = run.Report.Views
		m.Manifest.Privacy.Protection = run.Report.Protection
		m.Manifest.Digest = hex.EncodeToString(cost.Members[i].Digest[:])
		run.Models = append(run.Models, m)
		run.Report.Participants = append(run.Report.Participants, Participant(m, parts[i]))
		for _, w := range r.Warnings {
			run.Report.Warnings = append(run.Report.Warnings, parts[i].Name+": "+w)
		}
	}
	addLogliks(run, parts)
	run.Report.Aggregate()
	return run, nil
}

// network enters what the sums cost.
func (r *Run) network(cost *netsim.Report) {
	n := int64(len(cost.Members))
	for _, m := range cost.Members {
		r.Report.BytesSent += m.Bytes / n
		r.Report.Messages += m.Messages / n
		r.Report.Consensus.Iterations = m.Iterations
		r.Report.Consensus.Error = max(r.Report.Consensus.Error, m.Difference)
		r.Report.SetupRounds = m.Setup
	}
}
