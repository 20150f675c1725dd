package task

import (
	"context"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm/ggm"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/report"
)

// sparse learns the mixture of sparse Gaussian graphical models.
type sparse struct {
	*ggm.Learner
	options collabdict.Options
}

func newGGM(t Task, own ownData) (learner, error) {
	config := t.mixture()
	config.Common = own.common
	l, err := ggm.NewLearner(own.rows, config)
	if err != nil {
		return nil, err
	}
	return &sparse{l, collabdict.Options{Rounds: t.Rounds, Tol: t.Tol}}, nil
}

func checkGGM(t Task) error {
	switch {
	case !finite(t.Lambda0) || t.Lambda0 == 0:
		return wrong("lambda0", "want a finite value above 0, got %g", t.Lambda0)
	case !finite(t.Rho):
		return wrong("rho", "want a finite value above 0, or 0 for 0.1·N/K, got %g", t.Rho)
	}
	if err := t.mixture().Validate(); err != nil {
		return &Error{Field: "init", Msg: err.Error()}
	}
	return nil
}

func (t Task) mixture() ggm.Config {
	return ggm.Config{Components: t.Components, Lambda0: t.Lambda0, Rho: t.Rho, Seed: t.Seed, Init: t.Init, Shared: t.Shared}
}

func (l *sparse) train(ctx context.Context, g collabdict.Group, after func(collabdict.Round)) (collabdict.Round, error) {
	l.options.OnRound = after
	return collabdict.Train(ctx, g, l.Learner, l.options)
}

func (l *sparse) progress(r collabdict.Round) Progress {
	d := l.Diversity()
	return Progress{
		Round: r, Loss: -r.Objective / float64(max(l.TotalRows(), 1)),
		Diversity: &report.Diversity{Max: d.Max, Min: d.Min, MinResponsibility: d.MinResponsibility},
	}
}

func (l *sparse) state() state {
	s := state{scorer: model.Mixture{Mixture: l.Model()}, totalRows: l.TotalRows(), rho: l.Rho()}
	if e := l.Stalled(); e != nil {
		s.warnings = append(s.warnings, "graphical lasso: the last round left a component off its optimum: "+e.Error())
	}
	return s
}
