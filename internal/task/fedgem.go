package task

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/fedgem"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/metrics"
	"github.com/collabdict/collabdict/internal/model"
)

// The radii of the rounds of fedgem.
const (
	ExactRadius = "exact" // as far as no likelihood falls
	HalfRadius  = "half"  // half of the squared one, as the paper's public code has it
)

// mostByBIC is the most components that a participant takes where neither the task nor
// labels say how many.
const mostByBIC = 10

// clustering finds clusters whose number nobody knows.
type clustering struct {
	task    Task
	own     ownData
	result  *fedgem.Result // nil before the last merge, as is the mixture
	mixture *gmm.Mixture
}

func newFedGEM(t Task, own ownData) (learner, error) { return &clustering{task: t, own: own}, nil }

func checkFedGEM(t Task) error {
	most := t.MostComponents
	switch {
	case most != 0 && most < t.Components:
		return wrong("components", "want a range from fewer to more, got %d-%d", t.Components, most)
	case t.Covariance != gmm.Spherical.String() && t.Covariance != gmm.Full.String():
		return wrong("covariance", "want spherical or full, got %q", t.Covariance)
	case t.Rounds < 2:
		return wrong("rounds", "want at least 2, one before the last merge, got %d", t.Rounds)
	case t.LocalSteps < 1:
		return wrong("local-steps", "want at least 1, got %d", t.LocalSteps)
	case t.Radius != ExactRadius && t.Radius != HalfRadius:
		return wrong("radius", "want %s or %s, got %q", ExactRadius, HalfRadius, t.Radius)
	}
	factors, err := parseFinal(t.Final)
	if err != nil {
		return err
	}
	if len(factors) > 1 && t.once() {
		return &Error{
			"final", fmt.Sprintf("want one factor, or %s, with min-rows above 1: the clusters of three times two thirds of the rows, beside those of all, tell of few rows", ChiSquare),
			"choose a factor on rows that may be shown, or say --min-rows 1",
		}
	}
	return t.checkNoiseOfFedGEM(factors)
}

func (t Task) checkNoiseOfFedGEM(factors []float64) error {
	switch {
	case t.Privacy.Epsilon == 0:
		return nil
	case t.Components == 0 || t.MostComponents != 0:
		return wrong("components", "want a number with epsilon, since one by BIC or by labels tells of the rows")
	case t.Covariance != gmm.Spherical.String():
		return wrong("covariance", "want spherical with epsilon, got %q", t.Covariance)
	case len(factors) > 1:
		return wrong("final", "want one factor, or chi-square, with epsilon, since one chosen by held-out rows tells of them")
	}
	return nil
}

func shownByFedGEM(t Task) (what []string, sums bool) {
	shape := "spread"
	if t.Covariance == gmm.Full.String() {
		shape = "covariance matrix"
	}
	when := "in every round"
	if t.once() {
		when = "once"
	}
	clusters := fmt.Sprintf("the centre, the number of rows and the %s of each own cluster, and how large a region it may be moved in, %s", shape, when)
	if factors, _ := parseFinal(t.Final); len(factors) > 1 {
		clusters += ", and the same of three times two thirds of the own rows, to choose a factor by the others, and in a sum over all members how well each factor did"
	}
	return []string{t.noisy(t.ofRows(clusters, "each is"))}, false
}

// once says whether members show their clusters of fedgem in the last merge alone.
func (t Task) once() bool { return t.Model == model.FedGEM && t.LeastRows() > 1 }

// RoundsTogether is how many rounds members make together at most.
func (t Task) RoundsTogether() int {
	if t.once() {
		return 1
	}
	return t.Rounds
}

func (l *clustering) train(ctx context.Context, g collabdict.Group, after func(collabdict.Round)) (collabdict.Round, error) {
	x, err := dataset.Dense(l.own.rows)
	if err != nil {
		return collabdict.Round{}, err
	}
	c, err := l.config(ctx, g, x)
	if err != nil {
		return collabdict.Round{}, err
	}
	c.OnRound = func(r fedgem.Round) {
		after(collabdict.Round{Number: r.Number, Objective: r.Step})
	}
	if l.result, err = fedgem.Train(ctx, g, x, c); err != nil {
		return collabdict.Round{}, err
	}
	if l.mixture, err = l.result.Mixture(); err != nil {
		return collabdict.Round{}, err
	}
	last := collabdict.Round{Number: l.result.Rounds, Objective: l.result.Step, Converged: l.result.Converged}
	after(last)
	return last, nil
}

// config returns the settings of this participant.
func (l *clustering) config(ctx context.Context, g collabdict.Group, x *mat.Dense) (c fedgem.Config, err error) {
	t := l.task
	c = fedgem.Config{
		Full: t.Covariance == gmm.Full.String(), LocalSteps: t.LocalSteps,
		Rounds: t.Rounds - 1, Tol: t.Tol, Half: t.Radius == HalfRadius, MinRows: max(1, t.LeastRows()), Seed: t.Seed,
	}
	if t.Tol == 0 {
		c.Tol = -1 // never
	}
	if c.Components, err = l.components(x, c.Full); err != nil {
		return c, err
	}
	if t.hides() {
		_, dim := x.Dims()
		c.Noise = &fedgem.Noise{
			Multiplier: c.Multiplier(t.Privacy.Epsilon, t.Privacy.Delta),
			Radius:     t.Privacy.Clip * math.Sqrt(float64(dim)), Source: t.Noise,
		}
	}
	factors, err := parseFinal(t.Final)
	switch {
	case err != nil:
		return c, err
	case len(factors) == 1 || len(factors) > 1 && g.Size() == 1: // alone, clusters stay apart whatever the factor
		c.Final = fedgem.Factor{V: factors[0]}
	case len(factors) > 1:
		v, err := l.choose(ctx, g, x, c, factors)
		if err != nil {
			return c, fmt.Errorf("choose a factor: %w", err)
		}
		c.Final = fedgem.Factor{V: v}
	}
	return c, nil
}

// components returns the number of own clusters: the one that is agreed on, or that of
// smallest BIC in the agreed range, or how many classes the own labels have, or that of
// smallest BIC.
func (l *clustering) components(x *mat.Dense, full bool) (k int, err error) {
	rows, _ := x.Dims()
	least, most := l.task.Components, l.task.MostComponents
	switch {
	case least != 0 && most == 0:
		k = least
	case least == 0 && l.own.classes != nil:
		k = fedgem.Classes(l.own.classes)
	default:
		if least == 0 {
			least, most = 1, mostByBIC
		}
		if k = least; least <= rows {
			return fedgem.ComponentsByBIC(x, least, most, full, l.task.Seed)
		}
	}
	if k > rows {
		return 0, wrong("components", "want at most the %d own rows, got %d", rows, k)
	}
	return k, nil
}

// choose finds a factor by cross-validation, before the first round.
func (l *clustering) choose(ctx context.Context, g collabdict.Group, x *mat.Dense, c fedgem.Config, factors []float64) (float64, error) {
	return fedgem.ChooseFactor(ctx, setup{g}, x, c, factors, func(x *mat.Dense, labels []int) float64 {
		v, ok := metrics.Silhouette(x, labels, l.task.Seed)
		if !ok {
			return math.NaN()
		}
		return v
	})
}

// setup is a group whose collectives are of no round yet.
type setup struct{ collabdict.Group }

func (l *clustering) progress(r collabdict.Round) Progress {
	p := Progress{Round: r, Loss: r.Objective}
	if l.mixture != nil {
		p.Clusters = l.mixture.Components()
	}
	return p
}

func (l *clustering) state() state {
	total := 0.0
	for _, c := range l.result.Clusters {
		total += c.Rows
	}
	return state{
		scorer: model.Mixture{Mixture: l.mixture}, totalRows: int(math.Round(total)),
		own:      &model.Own{Mixture: l.result.Local(), Of: l.result.Own},
		warnings: l.task.fewWarnings(l.result.Few),
	}
}
