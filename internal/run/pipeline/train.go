package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// A Result is what one participant has after training.
type Result struct {
	Model     *model.Model     // nil if no round was completed
	Inventory []algorithm.Item // what others see, from [Task.Inventory]
	algorithm.Outcome

	judge func(context.Context) error // adds the local part and thresholds to the model; nil if that is done
}

// Fit plays one participant's part: [Task.Train] and then [Result.Complete]. If a later round
// fails, the result holds the model of the last completed round.
func (t *Task) Fit(ctx context.Context, g collabdict.Group, p dataset.Participant, source rand.Source, onRound func(algorithm.Progress)) (*Result, error) {
	r, err := t.Train(ctx, g, p, source, onRound)
	if unread := r.Complete(ctx); unread != nil {
		return r, withUnread(err, unread)
	}
	return r, err
}

// Complete adds the participant's local part and thresholds to the model, from its own rows alone. It
// needs no group, so a process of many participants calls it when their network has ended. Without it
// the model scores no rows. After an error there is no model.
func (r *Result) Complete(ctx context.Context) error {
	if r.Model == nil || r.judge == nil {
		return nil
	}
	err := r.judge(ctx)
	r.judge, r.LeftOut = nil, nil // which hold the learner
	if err != nil {
		r.Model = nil
		return err
	}
	r.Model.Manifest.Warnings = r.Warnings
	return nil
}

// Train prepares the training rows, trains with the group, and assembles the model. The participant's
// secret randomness comes from source, which may be nil if the participant is alone. The caller adds
// names of members, views and the digest, and completes the result.
func (t *Task) Train(ctx context.Context, g collabdict.Group, p dataset.Participant, source rand.Source, onRound func(algorithm.Progress)) (*Result, error) {
	traits := t.Traits()
	if source == nil && g.Membership().Size > 1 {
		panic("pipeline: want a source of secrets")
	}
	r := &Result{}
	if err := t.CheckLabels(p); err != nil {
		return r, err
	}
	if !g.Membership().Alone {
		if err := t.CheckRows(p); err != nil {
			return r, err
		}
	}
	r.Inventory = t.Inventory(g)
	g = inventoried{g, r.Inventory}
	t, p, err := t.settle(ctx, g, p)
	if err != nil {
		return r, err
	}
	p, held, order, err := t.split(p, source)
	if err != nil {
		return r, err
	}
	var free func() // releases resources of the last completed round
	p.Train, free = rows.Until(ctx, p.Train)
	of, err := t.prepare(ctx, g, p, source)
	if err != nil {
		return r, err
	}
	data, err := t.data(p, of, traits.Classes)
	if err != nil {
		return r, err
	}
	rules := t.Settings.Rules(g.Membership().Size)
	data.Source, data.Quorum, data.Colluders = source, rules.Least, rules.Colluders
	if of.rescaled != nil {
		data.Rescaled = &algorithm.Rescaled{Rows: of.rescaled.rows, LogScale: of.logScale}
	}
	if held != nil {
		if data.Held, err = of.bring(held); err != nil {
			return r, err
		}
		if of.rescaled != nil {
			if data.Rescaled.Held, err = of.rescaled.bring(held); err != nil {
				return r, err
			}
		}
	}
	var history, included []report.Round // included: the rounds that this participant took part in
	r.Outcome, err = t.Algorithm.Learn(ctx, g, data, func(p algorithm.Progress) {
		history = append(history, report.RoundOf(p))
		if g.Membership().Included {
			included = append(included, history[len(history)-1])
		}
		if onRound != nil {
			onRound(p)
		}
	})
	free()
	err = withoutCells(err, p.Columns)
	data, of = of.chosen(data, r.Rescaled)
	r.Warnings = append(of.warnings, r.Warnings...)
	if r.Last.Number == 0 {
		return r, err
	}
	m, fault := t.assemble(p, of, r.Outcome, history)
	if fault != nil {
		return r, errors.Join(err, fault)
	}
	if m.Scorer() != nil {
		m.Manifest.FalseAlarm = t.FalseAlarm
	}
	alone := g.Membership().Alone
	r.judge = func(ctx context.Context) error {
		switch {
		case m.Scorer() == nil:
			return nil
		case data.Held != nil || t.HoldOut > 0 && r.LeftOut != nil:
			return t.local(ctx, alone, data, order, m, r)
		}
		return t.byTraining(of.rows, m, r)
	}
	r.Model = m
	m.Manifest.Privacy.Published = published(r.Inventory)
	if len(included) == 0 {
		included = history
	}
	if least, ok := leastOf(included); ok {
		m.Manifest.Privacy.LeastDiversity = report.Of(least)
	}
	return r, err
}

// data returns a participant's data in the form that algorithms take.
func (t *Task) data(p dataset.Participant, of *prepared, classes *algorithm.Classes) (d algorithm.Data, err error) {
	d = algorithm.Data{Name: p.Name, Rows: of.rows, Frame: of.frame, Missing: t.marginal(), RowsEach: max(t.Window, 1), Seed: t.Seed}
	if p.ClassLabels {
		d.Labels = p.TrainLabels
	}
	if classes == nil {
		return d, nil
	}
	if d.Classes, err = classesOf(p, p.TrainLabels, classes.Number); err != nil || !classes.Learned {
		return d, err
	}
	d.TestClasses, err = classesOf(p, p.TestLabels, classes.Number)
	return d, err
}

// chosen returns the data in the coordinates of the model, and what maps rows to them.
func (p *prepared) chosen(d algorithm.Data, rescaled bool) (algorithm.Data, *prepared) {
	if rescaled {
		d.Rows, d.Held = d.Rescaled.Rows, d.Rescaled.Held
		p.rescaled.warnings = append(p.warnings, p.rescaled.warnings...)
		p = p.rescaled
	}
	d.Rescaled = nil
	return d, p
}

// withUnread joins the error of training with that of the threshold.
func withUnread(err, unread error) error {
	switch {
	case err == nil:
		return fmt.Errorf("threshold: %w", unread)
	case errors.As(err, new(*dataset.Error)): // the round failed on the same file
		return err
	}
	return fmt.Errorf("%w; threshold: %w", err, unread)
}

// assemble makes the model of the last completed round.
func (t *Task) assemble(p dataset.Participant, of *prepared, o algorithm.Outcome, history []report.Round) (*model.Model, error) {
	used := map[string]any{"seed": t.Seed, "rounds": t.Traits().Rounds}
	if r := t.Options.Find("rounds"); r != nil { // the algorithm's own limit on rounds
		delete(used, "rounds")
	}
	for k, v := range o.Used {
		used[k] = v
	}
	hyper, err := model.NewHyper(t.Options, used)
	if err != nil {
		return nil, err
	}
	rows, _ := p.Train.Dims()
	scaledBy := t.Standardise
	switch {
	case scaledBy == algorithm.Auto && o.Rescaled:
		scaledBy = algorithm.Global
	case scaledBy == algorithm.Auto:
		scaledBy = algorithm.Own
	}
	m := &model.Model{
		Scaling: of.scaling, Projection: of.projection, Learned: o.Model, PriorVariances: o.PriorVariances,
		Manifest: model.Manifest{
			Kind: t.Kind.Name, Participant: p.Name, Columns: p.Columns, Units: t.Units, Window: t.Window, Standardise: scaledBy, Hyper: hyper, Choice: o.Judged,
			Rounds: o.Last.Number, Converged: o.Last.Converged, Objective: report.Of(o.Last.Objective),
			Rows: rows, TotalRows: o.TotalRows,
			Privacy: model.Ledger{Diversity: history[len(history)-1].Diversity, History: history},
		},
	}
	if t.Normalise != Standard {
		m.Manifest.Normalise = t.Normalise
	}
	if t.ReleaseEpsilon > 0 {
		m.Manifest.Privacy.ReleaseCap = &report.Cap{Epsilon: t.ReleaseEpsilon, Delta: t.ReleaseDelta}
	}
	if of.projection != nil {
		m.Manifest.PCA = model.PCA(of.projection)
	}
	return m, nil
}

// leastOf returns the smallest diversity of some rounds. ok is false if none was measured.
func leastOf(history []report.Round) (least float64, ok bool) {
	least = math.Inf(1)
	for _, r := range history {
		if r.Diversity != nil {
			least, ok = min(least, r.Diversity.Min, r.Diversity.MinResponsibility), true
		}
	}
	return least, ok
}
