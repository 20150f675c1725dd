package task

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/report"
)

// EntropyFloor is ℓ₀: the policy is to warn when what a participant contributes to
// a component has an entropy below ln ℓ₀, as if it came from fewer rows than that,
// be it by the weights of Eq. (47) of Idé et al. 2024 or by the responsibilities
// that the contribution is really made of.
const EntropyFloor = 5

// Progress is a participant's state after a round.
type Progress struct {
	collabdict.Round
	// Loss is the objective of a row, with the sign changed; of fedgem, whose rows have
	// none, the objective.
	Loss float64
	// Diversity is that of what was contributed in the round; nil if the kind has none.
	Diversity *report.Diversity
	Clusters  int               // of fedgem, after the last merge
	Encoder   *report.Encoder   // of mtvae; nil if it was not measured
	Weighting *report.Weighting // of bvae
}

// Result is what one participant holds after its part.
type Result struct {
	Model *model.Model // nil if no round was completed
	Last  collabdict.Round
	// Selection is of what fedgen has put together; nil with other kinds.
	Selection *report.Selection
	// Weightings are those of all members, of bvae, by rank, if they are published; nil of
	// one that was not there.
	Weightings []*report.Weighting
	Warnings   []string
}

// Train plays one participant's part: it prepares the training rows, trains
// against the group and puts the model together. Names of members, views and the
// digest are not known here and are left to the caller. After an error in a later
// round, the result holds the model of the last round completed.
func (t Task) Train(ctx context.Context, g collabdict.Group, p dataset.Participant, onRound func(Progress)) (*Result, error) {
	if t.Secret() && t.Noise == nil && g.Size() > 1 {
		panic("task: want a source of noise")
	}
	r := &Result{}
	if _, alone := g.(collabdict.Solo); alone && t.showsComponents() {
		t.MinRows = 1 // nothing is shown to anybody
	}
	if err := t.CheckLabels(p); err != nil {
		return r, err
	}
	if err := t.CheckRows(p); err != nil {
		return r, err
	}
	public := t.published(g)
	of, err := t.prepare(ctx, g, p)
	if err != nil {
		return r, err
	}
	r.Warnings = of.warnings
	if n, _ := of.rows.Dims(); t.Privacy.lax(n) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("privacy: delta %g is not below one in the %d own rows, so that whole rows could be shown within it: take less", t.Privacy.Delta, n))
	}
	own := ownData{rows: of.rows, of: p, common: of.common}
	if p.ClassLabels {
		own.classes = p.TrainLabels
	}
	l, err := kinds[t.Model].learner(t, own)
	if err != nil {
		return r, err
	}
	var history, included []report.Round // included: those that this participant is in
	r.Last, err = l.train(ctx, g, func(round collabdict.Round) {
		told := l.progress(round)
		history = append(history, report.Round{Round: round.Number, Objective: round.Objective, Diversity: told.Diversity, Encoder: told.Encoder, Weighting: told.Weighting})
		if a, may := g.(collabdict.Absentee); !may || a.Included() {
			included = append(included, history[len(history)-1])
		}
		if onRound != nil {
			onRound(told)
		}
	})
	if r.Last.Number == 0 {
		return r, err
	}
	s := l.state()
	m := t.assemble(p, of, s, r.Last, history)
	if m.Scorer != nil {
		var unread error
		m.Manifest.FalseAlarm = t.FalseAlarm
		if w := thresholdWarning(m.Manifest.Rows, t.FalseAlarm); w != "" {
			r.Warnings = append(r.Warnings, w)
		}
		if m.Manifest.Threshold, unread = threshold(m.Scorer, of.rows, t.FalseAlarm); unread != nil {
			return r, withUnread(err, unread)
		}
	}
	r.Model, r.Selection, r.Weightings = m, s.selection, s.weightings
	r.Warnings = append(r.Warnings, s.warnings...)
	m.Manifest.Privacy.Published = public
	if len(included) == 0 {
		included = history
	}
	if least, ok := leastOf(included); ok {
		m.Manifest.Privacy.LeastDiversity = report.Of(least)
		if least < math.Log(EntropyFloor) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("privacy: what this participant adds to one component was at one time made of about %.1f rows, fewer than %d: only the sum over the members hides them", math.Exp(least), EntropyFloor))
		}
	}
	return r, err
}

// withUnread adds to how the training has ended that the threshold could not be had.
func withUnread(err, unread error) error {
	var said *dataset.Error
	switch {
	case err == nil:
		return fmt.Errorf("threshold: %w", unread)
	case errors.As(err, &said): // a file that cannot be read has ended the round as well
		return err
	}
	return fmt.Errorf("%w; threshold: %w", err, unread)
}

// assemble puts the model of the last completed round together.
func (t Task) assemble(p dataset.Participant, of *prepared, s state, last collabdict.Round, history []report.Round) *model.Model {
	rows, _ := p.Train.Dims()
	m := &model.Model{
		Scaling: of.scaling, Projection: of.projection,
		Scorer: s.scorer, Classifier: s.classifier,
		Own: s.own,
		Manifest: model.Manifest{
			Kind: t.Model, Participant: p.Name, Columns: p.Columns, Standardise: string(t.Standardise), Normalise: string(t.Normalise),
			Hyper: model.Hyper{
				Components: t.Components, MostComponents: t.MostComponents, Rounds: t.Rounds, Tol: t.Tol,
				Lambda0: t.Lambda0, Rho: s.rho, Synthetic: t.Synthetic, Start: string(t.Start), MinRows: t.LeastRows(), Seed: t.Seed,
				LocalSteps: t.LocalSteps, Radius: t.Radius, Final: t.Final,
				Epsilon: t.Privacy.Epsilon, Delta: t.Privacy.Delta, Clip: t.Privacy.Clip,
				Latent: t.Networks.Latent, Hidden: t.Networks.Hidden, Batch: t.Networks.Batch, Rate: t.Networks.Rate, Aggressive: t.Networks.Aggressive,
				Beta: t.Networks.Beta, Epochs: t.Networks.Epochs, Condition: t.Networks.Condition, Dropout: t.Networks.Dropout,
				Weights: string(t.Weighting.Weights), Effect: t.Weighting.Effect, Offset: t.Weighting.Offset, Debias: t.Weighting.Debias,
				WeighEvery: t.Weighting.Every, PublishWeights: t.Weighting.Publish,
			},
			Rounds: last.Number, Converged: last.Converged, Objective: report.Of(last.Objective),
			Rows: rows, TotalRows: s.totalRows,
			Privacy: model.Ledger{Diversity: history[len(history)-1].Diversity, History: history},
		},
	}
	if s.classifier != nil {
		m.Manifest.Hyper.Classes, m.Manifest.Hyper.Momentum = s.classifier.Classes(), momentum
	}
	if of.projection != nil {
		m.Manifest.PCA = of.projection.Report()
	}
	return m
}

// leastOf returns the smallest diversity of some rounds, if the kind has any.
func leastOf(history []report.Round) (least float64, ok bool) {
	least = math.Inf(1)
	for _, r := range history {
		if r.Diversity != nil {
			least, ok = min(least, r.Diversity.Min, r.Diversity.MinResponsibility), true
		}
	}
	return least, ok
}
