package pipeline

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/kernels/cpu"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// breachWarned is the predicted probability of a breach above which the user is warned.
const breachWarned = 1e-6

// Report returns the part of a run's result that its participants share, given the names of all
// and what one of them has after training. [EnterLedger] adds the decided slots.
func (t *Task) Report(names []string, r *Result) *report.Run {
	run := &report.Run{
		Model: t.Kind.Name, Seed: t.Seed, Kernels: string(cpu.Active()),
		Rounds: r.Last.Number, Converged: r.Last.Converged, Objective: report.Of(r.Last.Objective),
		Consensus: describe(t.Settings, len(names), 1),
		Selection: r.Selection, Choice: r.Judged,
		Views: []report.View{{Round: 1, Members: names, Missing: []report.Missing{}}},
	}
	if n := t.Traits().Noise; n != nil {
		run.Epsilon, run.Delta = n.Epsilon, n.Delta
	}
	if r.Model != nil {
		run.Clusters, run.PCA, run.Window = r.Model.Components(), r.Model.Manifest.PCA, r.Model.Manifest.Window
	}
	run.Protection = Protection(t.Settings, len(names))
	run.Warnings = append(run.Warnings, t.ShownWarnings()...)
	if w := BreachWarning(run.Protection); w != "" && run.Protection.Mode != string(chunking.None) {
		run.Warnings = append(run.Warnings, w)
	}
	return run
}

// EnterLedger adds the members of each sum, and what sums reveal together. results has those of
// participants by name.
func EnterLedger(run *report.Run, s consensus.Settings, size int, l *report.Ledger, results map[string]*Result) {
	if views := l.Views(); len(views) > 0 {
		run.Views = views
	}
	run.LoneChanges, run.RosterChanges = l.LoneChanges(), l.RosterChanges()
	if s.Protect != chunking.None { // otherwise each vector is visible anyway
		run.Warnings = append(run.Warnings, l.Warnings()...)
	}
	if d := l.Last(); d != nil && d.Kind == consensus.Sum {
		iterations, failed := run.Consensus.Iterations, run.Consensus.Error
		run.Consensus = describe(s, size, len(d.Total))
		run.Consensus.Iterations, run.Consensus.Error = iterations, failed
	}
}

// EnterWeightings adds the weights of all participants to a model if they are published; names
// are by rank.
func EnterWeightings(m *model.Model, r *Result, names []string) {
	for rank, w := range r.Weightings {
		if w != nil {
			named := report.WeightingOf(*w)
			named.Name = names[rank]
			m.Manifest.Privacy.Weightings = append(m.Manifest.Privacy.Weightings, named)
		}
	}
}

// describe describes how sums of the given number of values are made.
func describe(s consensus.Settings, size, values int) report.Consensus {
	c := report.Consensus{Scheme: string(s.Scheme), Fan: max(1, s.Fan)}
	if s.Scheme == "" || s.Scheme == consensus.Laplacian {
		c.Scheme, c.Fan = string(consensus.Laplacian), 0
	}
	plan, err := consensus.NewPlans(s).For(size)
	if err != nil {
		return c
	}
	c.IterationsPredicted = plan.RoundsFor(values)
	if l := plan.Laplacian; l != nil {
		c.Step, c.Graph, c.Degree = string(s.Step), string(l.Graph().Kind), l.Graph().Degree()
	}
	return c
}

// Figures returns a participant's own figures under its model.
func Figures(m *model.Model, p dataset.Participant) (report.Participant, error) {
	e, blend, err := evaluateWith(m, p, local.Fixed(math.NaN()))
	own := report.Participant{
		Name: p.Name, Rows: m.Manifest.Rows, Digest: m.Manifest.Digest, Diversity: m.Manifest.Privacy.Diversity, History: m.Manifest.Privacy.History,
		ROCAUC: e.ROCAUC, PRAUC: e.PRAUC, ARI: e.ARI, Silhouette: e.Silhouette,
		Accuracy: e.Accuracy, CrossEntropy: e.CrossEntropy, Recall: e.Recall,
	}
	own.HeldOut = m.Manifest.HeldOut
	if m.Local != nil && err == nil {
		err = enterParts(&own, m, p, blend)
	}
	if h := own.History; len(h) > 0 {
		own.Encoder, own.Weighting = h[len(h)-1].Encoder, h[len(h)-1].Weighting
	}
	if found := m.Clusterer(); found != nil {
		for _, c := range found.OwnClusters() {
			own.OwnClusters = append(own.OwnClusters, c+1)
		}
	}
	return own, err
}

// BreachWarning returns the warning that colluders are likely to recover a member's part of a sum, "" if they are not.
func BreachWarning(p report.Protection) string {
	if p.BreachPredicted == nil || *p.BreachPredicted <= breachWarned {
		return ""
	}
	cure := "raise --chunks"
	if *p.BreachPredicted == 1 || p.Mode == string(chunking.None) {
		cure = "choose --protect chunks"
	}
	return fmt.Sprintf("privacy: another member's vector is recovered with probability %.2g (assumed colluders: %d): %s", *p.BreachPredicted, p.Colluders, cure)
}

// enterParts adds the figures of the parts of a blend, and judges by the labelled faults among the
// test rows, which blend has the scores of.
func enterParts(own *report.Participant, m *model.Model, p dataset.Participant, blend []float64) error {
	by := func(with string) (*report.Scores, []float64, error) {
		of := *m
		if err := of.With(with); err != nil {
			return nil, nil, err
		}
		e, scores, err := evaluateWith(&of, p, local.Fixed(math.NaN()))
		if err != nil || !e.ROCAUC.Applies {
			return nil, nil, err
		}
		return &report.Scores{ROCAUC: e.ROCAUC, PRAUC: e.PRAUC}, scores, nil
	}
	var alone []float64
	var err error
	if own.Shared, _, err = by(model.Shared); err != nil || m.Local.Alone == nil {
		return err
	}
	if own.Alone, alone, err = by(model.Alone); err == nil && own.Alone != nil {
		if v := byFaults(blend, alone, p.TestLabels); v != nil {
			own.HeldOut.Verdict = v // also of the model, which describes itself as the run does
		}
	}
	return err
}
