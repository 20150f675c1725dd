package task

import (
	"context"
	"crypto/sha256"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/dem"
	"github.com/collabdict/collabdict/gmm/fedgen"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/report"
)

// wholeMixture is what a participant shows.
const wholeMixture = "the own mixture, whole: the weights, means and covariance matrices of its components, and the number of own rows"

// oneRound learns a mixture in one round from the participants' own ones, and may
// refine it by rounds of sums.
type oneRound struct {
	task    Task
	rows    dataset.Rows
	result  *fedgen.Result
	refined *dem.Learner // nil before the first round of sums
	told    []string     // that components were merged
}

func newFedGen(t Task, own ownData) (learner, error) {
	return &oneRound{task: t, rows: own.rows}, nil
}

func checkFedGen(t Task) error {
	most := t.MostComponents
	if most != 0 && most < t.Components {
		return wrong("components", "want a range from fewer to more, got %d-%d", t.Components, most)
	}
	if err := t.checkCovariance(); err != nil {
		return err
	}
	if t.Synthetic < 0 || t.Synthetic > 1e6 {
		return wrong("synthetic", "want 1 to 1000000 rows, or 0 for a start without them, got %d", t.Synthetic)
	}
	if err := t.fedgen().Validate(); err != nil {
		return &Error{Field: "components", Msg: err.Error()}
	}
	switch {
	case t.Privacy.Epsilon == 0:
		return nil
	case most != 0:
		return wrong("components", "want a number with epsilon, since one by BIC tells of the rows, got %d-%d", t.Components, most)
	case t.Rounds > 1:
		return wrong("refine", "want no rounds of sums with epsilon, since the noise does not cover these")
	}
	return nil
}

func shownByFedGen(t Task) (what []string, sums bool) {
	return []string{t.noisy(t.ofRows(wholeMixture, "each component is"))}, t.Rounds > 1
}

// fedgen returns the settings of the local fits and of the shared one.
func (t Task) fedgen() fedgen.Config {
	k := fedgen.Range{Min: t.Components, Max: max(t.Components, t.MostComponents)}
	c := fedgen.Config{Local: k, Global: k, EM: t.em(), MinRows: max(1, t.LeastRows()), Method: fedgen.ReducedStart, Seed: t.seed()}
	if t.Synthetic > 0 {
		c.Method, c.PerComponent = fedgen.Synthetic, t.Synthetic
	}
	return c
}

func (t Task) checkCovariance() error {
	if t.Covariance == "" {
		return wrong("covariance", "want full, diag or spherical, got none")
	}
	if _, err := model.ParseCovariance(t.Covariance); err != nil {
		return wrong("covariance", "%v", err)
	}
	return nil
}

// em returns the settings of expectation maximisation.
func (t Task) em() gmm.EM {
	form, _ := model.ParseCovariance(t.Covariance) // has been checked
	em := gmm.EM{Form: form, Tol: t.Tol}
	if t.Tol == 0 {
		em.Tol = -1 // never
	}
	return em
}

// seed returns the public seed of local and shared fits.
func (t Task) seed() [32]byte {
	return sha256.Sum256(fmt.Appendf(nil, "collabdict/task/seed/%d", t.Seed))
}

func (l *oneRound) train(ctx context.Context, g collabdict.Group, after func(collabdict.Round)) (collabdict.Round, error) {
	collabdict.StartRound(g, 1, nil)
	x, err := dataset.Dense(l.rows)
	if err != nil {
		return collabdict.Round{}, err
	}
	if l.result, err = l.learn(ctx, g, x); err != nil {
		return collabdict.Round{}, fmt.Errorf("round 1: %w", err)
	}
	last := collabdict.Round{Number: 1, Objective: l.result.Choices[l.result.Best].MeanLogLik, Converged: l.task.Rounds == 1}
	after(last)
	if l.task.Rounds == 1 {
		return last, nil
	}
	sums, err := dem.NewLearner(l.rows, dem.Config{Mixture: func(context.Context, collabdict.Group) (*gmm.Mixture, error) {
		return l.result.Mixture, nil
	}})
	if err != nil {
		return last, err
	}
	refined, err := collabdict.Train(ctx, later{g}, sums, collabdict.Options{
		Rounds: l.task.Rounds - 1, AbsTol: l.task.Tol,
		OnRound: func(r collabdict.Round) {
			l.refined = sums
			r.Number++
			after(r)
		},
	})
	if refined.Number > 0 {
		last = refined
		last.Number++
	}
	return last, err
}

// learn is the one round. With nobody else there is nothing to put together: the local
// mixture is the shared one.
func (l *oneRound) learn(ctx context.Context, g collabdict.Group, x *mat.Dense) (*fedgen.Result, error) {
	c := l.task.fedgen()
	switch {
	case l.task.hides():
		own, err := l.private(x)
		if err != nil {
			return nil, err
		}
		return fedgen.Exchange(ctx, g, own, c)
	case g.Size() > 1:
		own, few, err := fedgen.Local(x, c)
		if err != nil {
			return nil, err
		}
		l.told = l.task.fewWarnings(few)
		return fedgen.Exchange(ctx, g, own, c)
	}
	choices, best, err := fedgen.Select(x, c.Local, c.EM, c.Seed)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	r := &fedgen.Result{Mixture: choices[best].Mixture, Rows: n, Gathered: choices[best].Mixture.Components(), Best: best}
	for _, choice := range choices {
		bic := choice.BIC(float64(n))
		r.Choices = append(r.Choices, fedgen.Summary{Components: choice.Mixture.Components(), MeanLogLik: choice.MeanLogLik, BIC: bic, BICData: bic})
	}
	return r, nil
}

// private is the own mixture with noise.
func (l *oneRound) private(x *mat.Dense) (fedgen.Contribution, error) {
	_, dim := x.Dims()
	t := l.task
	p := fedgen.Privacy{Epsilon: t.Privacy.Epsilon, Delta: t.Privacy.Delta, Low: make([]float64, dim), High: make([]float64, dim)}
	for i := range dim {
		p.Low[i], p.High[i] = -t.Privacy.Clip, t.Privacy.Clip
	}
	return fedgen.Private(x, t.Components, t.em().Form, p, t.seed(), t.Noise)
}

func (l *oneRound) progress(r collabdict.Round) Progress {
	return Progress{Round: r, Loss: -r.Objective}
}

func (l *oneRound) state() state {
	s := state{scorer: model.Mixture{Mixture: l.result.Mixture}, totalRows: l.result.Rows, warnings: l.told}
	if l.refined != nil {
		s.scorer, s.totalRows = model.Mixture{Mixture: l.refined.Mixture()}, l.refined.TotalRows()
	}
	s.selection = &report.Selection{Rows: l.result.Rows, Gathered: l.result.Gathered, Synthetic: l.result.Synthetic}
	for _, c := range l.result.Choices {
		s.selection.Choices = append(s.selection.Choices, report.Choice{Components: c.Components, Loglik: c.MeanLogLik, BIC: c.BIC, BICRows: c.BICData})
	}
	return s
}
