package experiment

import (
	"fmt"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/internal/task"
)

// breachWarned is the predicted probability of a breach above which the user is
// told.
const breachWarned = 1e-6

// Summary returns the part of a run's result that its participants share.
func Summary(t task.Task, names []string, r *task.Result) *report.Run {
	run := &report.Run{
		Model: string(t.Model), Seed: t.Seed,
		Rounds: r.Last.Number, Converged: r.Last.Converged, Objective: report.Of(r.Last.Objective),
		Consensus: report.Consensus{Scheme: task.Scheme, Step: string(t.Settings.Step)},
		Views:     []report.View{{Round: 1, Members: names, Missing: []report.Missing{}}},
	}
	if r.Model != nil {
		run.Clusters = r.Model.Mixture.Components()
	}
	run.Protection = Protection(t.Settings, len(names))
	if breach := *run.Protection.BreachPredicted; breach > breachWarned && t.Settings.Protect == chunking.Chunks {
		run.Warnings = append(run.Warnings, fmt.Sprintf("privacy: %d members that work together learn another's vector with probability %.2g: raise --chunks", run.Protection.Colluders, breach))
	}
	if plan, err := consensus.NewPlan(t.Settings, len(names)); err == nil {
		run.Consensus.Graph = string(plan.Graph.Kind)
		run.Consensus.Degree = plan.Graph.Degree()
		run.Consensus.IterationsPredicted = plan.Iterations
	}
	return run
}

// Participant returns a participant's own figures under its model.
func Participant(m *model.Model, p dataset.Participant) report.Participant {
	e := task.Evaluate(m, p.Test, p.TestLabels)
	d := m.Manifest.Privacy.Diversity
	return report.Participant{
		Name: p.Name, Rows: m.Manifest.Rows, Digest: m.Manifest.Digest, Diversity: &d, History: m.Manifest.Privacy.History,
		ROCAUC: e.ROCAUC, PRAUC: e.PRAUC, ARI: e.ARI,
	}
}

// Protection describes the protection of a view of the given size against the
// default number of colluders, a third of the others.
func Protection(s consensus.Settings, size int) report.Protection {
	p := report.Protection{Mode: string(s.Protect), Colluders: max(1, (size-1)/3)}
	breach := 1.0
	if s.Protect == chunking.Chunks {
		fanout := chunking.Fanout(size, s.Chunks)
		p.Chunks = fanout + 1
		breach = chunking.BreachProbability(size, fanout, p.Colluders)
	}
	p.BreachPredicted = &breach
	return p
}
