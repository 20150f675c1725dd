package task

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/bounds"
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
	TotalRows int
	Diversity report.Diversity
}

// Result is what one participant holds after its part.
type Result struct {
	Model    *model.Model // nil if no round was completed
	Last     collabdict.Round
	Warnings []string
}

// Train plays one participant's part: it standardises the training rows, trains
// against the group and puts the model together. Names of members, views and the
// digest are not known here and are left to the caller. After an error in a later
// round, the result holds the model of the last round completed.
func (t Task) Train(ctx context.Context, g collabdict.Group, p dataset.Participant, onRound func(Progress)) (*Result, error) {
	r := &Result{}
	public := t.published(g)
	scaling, constant, common, err := t.scaling(ctx, g, p.Train)
	if err != nil {
		return r, fmt.Errorf("standardise: %w", err)
	}
	if len(constant) > 0 {
		r.Warnings = append(r.Warnings, constantWarning(p.Columns, constant))
	}
	z := scaling.Copy(p.Train)
	config := t.mixture()
	config.Common = common
	learner, err := gmm.NewLearner(z, config)
	if err != nil {
		return r, err
	}
	var history, own []report.Round // own: those that this participant is in
	options := collabdict.Options{Rounds: t.Rounds, Tol: t.Tol, OnRound: func(round collabdict.Round) {
		d := diversity(learner)
		history = append(history, report.Round{Round: round.Number, Objective: round.Objective, Diversity: d})
		if a, may := g.(collabdict.Absentee); !may || a.Included() {
			own = append(own, history[len(history)-1])
		}
		if onRound != nil {
			onRound(Progress{Round: round, TotalRows: learner.TotalRows(), Diversity: d})
		}
	}}
	r.Last, err = collabdict.Train(ctx, g, learner, options)
	if r.Last.Number > 0 {
		m := t.assemble(p, scaling, learner, r.Last, history)
		var unread error
		if m.Manifest.Threshold, unread = threshold(m.Mixture, z, t.FalseAlarm); unread != nil {
			var said *dataset.Error
			switch {
			case err == nil:
				err = fmt.Errorf("threshold: %w", unread)
			case !errors.As(err, &said): // a file that cannot be read has ended the round as well
				err = fmt.Errorf("%w; threshold: %w", err, unread)
			}
			return r, err
		}
		if e := learner.Stalled(); e != nil {
			r.Warnings = append(r.Warnings, "graphical lasso: the last round left a component off its optimum: "+e.Error())
		}
		r.Model = m
		if len(own) > 0 {
			r.Model.Manifest.Privacy.LeastDiversity = leastOf(own)
		}
		r.Model.Manifest.Privacy.Published = public
		if least := r.Model.Manifest.Privacy.LeastDiversity; least < math.Log(EntropyFloor) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("privacy: what this participant adds to one component was at one time made of about %.1f rows, fewer than %d: only the sum over the members hides them", math.Exp(least), EntropyFloor))
		}
	}
	return r, err
}

func diversity(l *gmm.Learner) report.Diversity {
	d := l.Diversity()
	return report.Diversity{Max: d.Max, Min: d.Min, MinResponsibility: d.MinResponsibility}
}

func constantWarning(columns []string, constant []int) string {
	names := make([]string, len(constant))
	for i, c := range constant {
		names[i] = columns[c]
	}
	return "constant in training, so left unscaled: " + strings.Join(names, ", ")
}

// assemble puts the model of the last completed round together.
func (t Task) assemble(p dataset.Participant, scaling dataset.Scaling, l *gmm.Learner, last collabdict.Round, history []report.Round) *model.Model {
	rows, _ := p.Train.Dims()
	return &model.Model{
		Scaling: scaling,
		Mixture: l.Model(),
		Manifest: model.Manifest{
			Kind: t.Model, Participant: p.Name, Columns: p.Columns, Standardise: string(t.Standardise),
			FalseAlarm: t.FalseAlarm,
			Hyper: model.Hyper{
				Components: t.Components, Rounds: t.Rounds, Tol: t.Tol,
				Lambda0: t.Lambda0, Rho: l.Rho(), Seed: t.Seed,
			},
			Rounds: last.Number, Converged: last.Converged, Objective: report.Of(last.Objective),
			Rows: rows, TotalRows: l.TotalRows(),
			Privacy: model.Ledger{
				Diversity:      diversity(l),
				LeastDiversity: leastOf(history), History: history,
			},
		},
	}
}

func leastOf(history []report.Round) float64 {
	least := math.Inf(1)
	for _, r := range history {
		least = min(least, r.Diversity.Min, r.Diversity.MinResponsibility)
	}
	return least
}

// published lists what Train shows to all members of a group in the clear: nothing
// in a large one.
func (t Task) published(g collabdict.Group) []string {
	if !bounds.Publishes(g) {
		return []string{}
	}
	of := " as trained on"
	if t.Standardise == Global {
		of = ", and of its deviation from the common mean"
	}
	return []string{"a random value for the agreed nonce", "the power of two above the number of own rows, and above the root mean square of each column" + of}
}
