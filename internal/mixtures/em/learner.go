package em

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/mixtures/glasso"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
	"github.com/collabdict/collabdict/internal/privacy"
)

// Learner learns a mixture by EM over a group. With [Config.Plain], the whole mixture is shared,
// and the M-step is that of maximum likelihood. Otherwise it learns the mixture of sparse Gaussian
// graphical models of Idé et al. 2024, section 4.4: means and precisions are shared, and weights
// are each participant's own; the prior mean m₀ is 0 in the coordinates of the rows.
//
// Invariant: the model is the one of the last Optimize, or of Start before the first. The
// results of LocalUpdate take effect with the next Optimize, so a failed sum changes nothing.
type Learner struct {
	*view          // the first view of the rows
	views  []*view // all views
	config Config

	origin []float64 // M values, the point about which moments are taken; nil stands for 0
	total  int       // number of rows of all participants in the last total
	setup  int

	running collabdict.Running // of the statistics
	counts  bool               // the total includes a vector of this participant
	secret  privacy.Key        // secret from which draws follow, if the rule of diversity draws
	blur    *privacy.Blur      // nil for none

	optimised int          // number of rounds that Optimize has completed
	live      []*candidate // at least one after Start
	choosing  choosing
}

var (
	_ collabdict.Learner    = (*Learner)(nil)
	_ collabdict.Cumulative = (*Learner)(nil)
)

var errNotStarted = errors.New("the learner has no parameters: start it first")

// NewLearner returns a learner on a participant's rows, N^s by M. The caller standardises them,
// if at all. The learner keeps the source and reads all rows once; each sum over them takes one
// more pass, or two. If rows cannot be read later, the method that needs them returns the
// error.
func NewLearner(source gmm.Rows, config Config) (*Learner, error) {
	n, dim := source.Dims()
	if n == 0 || dim == 0 {
		return nil, fmt.Errorf("rows: want at least 1 row and 1 column, got %d by %d", n, dim)
	}
	l := &Learner{config: config}
	if config.Diversity.Secret() {
		if config.Source == nil {
			return nil, errors.New("diversity: want a source to draw from, got none")
		}
		l.secret = privacy.NewKey(config.Source)
	}
	var err error
	if l.view, err = newView("", source, config.Held, nil, config.Missing); err != nil {
		return nil, err
	}
	l.views = []*view{l.view}
	if r := config.Rescaled; r != nil {
		other, err := newView("rescaled ", r.Rows, r.Held, r.LogScale, config.Missing)
		if err != nil {
			return nil, err
		}
		l.views = append(l.views, other)
	}
	if least := config.Diversity.LeastRows(); n < least {
		return nil, fmt.Errorf("rows: want at least %d for the agreed diversity, got %d", least, n)
	}
	if config.Init != nil {
		if _, got := config.Init.Means.Dims(); got != dim {
			return nil, fmt.Errorf("init: means: want %d columns, as many as the rows have, got %d", dim, got)
		}
	}
	return l, nil
}

// Start agrees with the group on bounds of the statistics, and on the first parameters.
func (l *Learner) Start(ctx context.Context, g collabdict.Group) error {
	l.blur = privacy.NewBlur(l.config.Blur, g.Membership().Size, l.config.Colluders, l.config.Source)
	noise := l.blur.Deviation(g.Membership().Size)
	counted := &counter{Group: g}
	defer func() { l.setup = counted.calls }()
	var err error
	for _, v := range l.views {
		if err := v.agree(ctx, counted, noise, l.config.Missing); err != nil {
			return err
		}
	}
	if l.config.Plain != nil {
		l.live, err = l.startPlain(ctx, counted)
	} else {
		for _, v := range l.views {
			v.limits = limitsOf(v.agreed, l.config)
		}
		l.live, err = (&starter{Learner: l, group: counted}).start(ctx)
	}
	l.counts = counted.in && err == nil
	return err
}

// counter counts the collectives of a group, and records whether a running total includes this
// participant's vector.
type counter struct {
	collabdict.Group
	calls int
	in    bool
}

func (c *counter) Sum(ctx context.Context, s collabdict.Summand) ([]float64, error) {
	c.calls++
	total, err := c.Group.Sum(ctx, s)
	c.in = c.in || s.Running.Key != "" && c.Membership().Included
	return total, err
}

func (c *counter) Gather(ctx context.Context, e collabdict.Entry, blob []byte) ([][]byte, error) {
	c.calls++
	return c.Group.Gather(ctx, e, blob)
}

// Counted reports whether any total has counted this participant's statistics, so that they are
// part of the model.
func (l *Learner) Counted() bool { return l.counts }

// Digest implements [collabdict.Digester]. It leaves out weights that differ between participants.
func (l *Learner) Digest() [32]byte {
	h := sha256.New()
	for _, c := range l.live {
		d := c.model.Digest(l.config.Plain != nil)
		h.Write(d[:])
	}
	return [32]byte(h.Sum(nil))
}

// Running implements [collabdict.Cumulative]. Some of the statistics are nearly equal in all rounds,
// such as the number, mean and covariance of the rows. In a running total, the loss of a member
// does not reveal them.
func (l *Learner) Running() collabdict.Running { return l.running }

// LocalUpdate computes the number of rows N^s, and the statistics of Eqs. (12) and (13) of Idé et
// al. 2024, with μ_k for m_k: the moments N_k^s, m_k^s and the upper triangle, or the diagonal, of
// C_k^s, in the order of pack. The last value is this participant's part of the objective; see
// [form]. The rule of diversity is applied before; see [Config.Diversity].
//
// The local log-likelihood is not part of the sum: once the model has settled, the difference
// of two sums would reveal that of a lost member. Missing cells have, in each component, their
// distribution given the other cells of their row, and its entropy is added to the last value.
func (l *Learner) LocalUpdate() (collabdict.Summand, error) {
	if l.live == nil {
		return collabdict.Summand{}, errNotStarted
	}
	_, length := l.limits.layout(l.live)
	x := append(make([]float64, 0, length), float64(l.rows.N))
	for _, c := range l.live {
		part, err := c.update(l)
		if err != nil {
			return collabdict.Summand{}, err
		}
		x = append(x, part...)
	}
	if len(l.live) > 1 {
		gains, err := l.gains(l.live)
		if err != nil {
			return collabdict.Summand{}, err
		}
		x = append(x, gains...)
	}
	l.blurAll(x, l.live, fmt.Sprint("round ", l.optimised))
	return l.summand(x, blocksOf(l.live)), nil
}

// summand returns values of the running total.
func (l *Learner) summand(values []float64, blocks []collabdict.Block) collabdict.Summand {
	return collabdict.Summand{Entry: Entry, Running: l.running, Values: values, Blocks: blocks}
}

// blurAll blurs a vector of several candidates, all but the number of rows. The noise of each
// candidate is another one, because their totals could be subtracted.
func (l *Learner) blurAll(x []float64, live []*candidate, vector string) {
	if l.blur == nil {
		return
	}
	starts, length := l.limits.layout(live)
	for i, c := range live {
		part, draw := c.noise(vector)
		l.blur.Add(x[starts[i]:starts[i]+l.limits.length(c.components)], c.view.limits.statistics(c.components), part, draw)
	}
	if n := gainsOf(len(live)); n > 0 {
		l.blur.Add(x[length-n:], columnstats.AppendBlock(nil, n, gainBound(l.limits.Bounds)), "gains", vector+" gains")
	}
}

// Optimize makes the M-step of each candidate on the total of all participants' statistics; see
// [form]. A component with less than one row keeps its parameters. The objective is the lower bound
// that EM raises in every round (Neal and Hinton 1998), at the parameters after the step, with each
// member's responsibilities and weights of its vector in the total. It also does not fall when some
// of these vectors are from earlier rounds. With several candidates it is their mean, so training
// does not end before all have settled.
//
// After an error the model is unchanged. If the total has an older vector of this participant,
// its own weights stay those of that vector. So the weights follow from decided results and are the
// same after a restart. A participant without a counted vector still fits its weights.
func (l *Learner) Optimize(total []float64, included bool) (objective float64, err error) {
	if l.live == nil {
		return 0, errNotStarted
	}
	starts, want := l.limits.layout(l.live)
	if err := l.check(total, l.live, starts, want); err != nil {
		return 0, err
	}
	if l.total == 0 {
		if err := l.count(total[0]); err != nil {
			return 0, err
		}
	}
	counts := l.counts || included
	next := make([]*candidate, len(l.live))
	objectives := make([]float64, len(l.live))
	err = parallel.Try(len(next), func(i int) error {
		part := total[starts[i] : starts[i]+l.limits.length(l.live[i].components)]
		x, objective, err := l.live[i].step(part, math.Round(total[0]), included, counts)
		next[i], objectives[i] = &x, objective
		return err
	})
	if err != nil {
		return 0, err
	}
	l.counts, l.total = counts, int(math.Round(total[0]))
	l.optimised++
	l.judge(next, total[want-gainsOf(len(next)):])
	l.live = l.halve(next)
	return passes.Sum(objectives) / float64(len(objectives)), nil
}

// check returns an error for a total of the candidates that has not the wanted number of values, or
// cannot be one.
func (l *Learner) check(total []float64, live []*candidate, starts []int, want int) error {
	if want != len(total) {
		return fmt.Errorf("want a total of %d values, got %d", want, len(total))
	}
	for i, v := range total {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("want a total of finite values, got %g as value %d", v, i+1)
		}
	}
	return checkRows(total, live, starts)
}

// checkRows returns an error for a total that rests on other rows than the one before.
func checkRows(total []float64, live []*candidate, starts []int) error {
	var before *view
	for i, c := range live { // candidates of one view stand together
		if c.view == before {
			continue
		}
		before = c.view
		if err := c.view.same.Check(total[0], c.components, total[starts[i]:], c.view.limits.statistics(c.components)); err != nil {
			return err
		}
	}
	return nil
}

// count sets N from a sum over all participants' rows.
func (l *Learner) count(n float64) error {
	l.total = int(math.Round(n))
	if k := l.config.least(); k > l.total {
		return &ComponentsError{Components: k, Rows: l.total}
	}
	return nil
}

// best returns the candidate that explains the held-out rows best so far.
func (l *Learner) best() *candidate { return l.live[best(l.live)] }

// Model returns the mixture, with this participant's weights if these are its own, or nil before
// Start.
func (l *Learner) Model() *gmm.Mixture {
	if l.live == nil {
		return nil
	}
	return l.best().model
}

// Written ends the training and returns the mixture to keep. If totals of the sparse form are
// blurred, it follows from the mean of the last ones. With the relative prior, it leaves out
// components that have hardly any rows, and merges those that are one pattern; see [Config.Fewest].
// With a price of components, it sets small weights of this participant to 0. It includes the
// numbers of rows of all participants in the last totals.
func (l *Learner) Written() (*gmm.Mixture, error) {
	at := best(l.live)
	c, err := l.live[at].settled(l.config.Fewest, l.live[at].loosely)
	if err != nil {
		return nil, err
	}
	l.live[at] = c
	m, err := c.written(l.price(c.components).least)
	if err != nil {
		return nil, err
	}
	return m.WithRows(c.rows), nil
}

// PriorVariances returns the variances of each column that scale the relative prior, or nil for
// other priors.
func (l *Learner) PriorVariances() []float64 {
	if r := l.best().form.relativePrior(); r != nil {
		return slices.Clone(r.variances)
	}
	return nil
}

// Lone returns the components of [Learner.Written], from 0, that have only this participant's
// rows.
func (l *Learner) Lone() []int { return l.best().lone() }

// Chosen returns the number of components and the penalty of the model, and how well each
// choice explained the held-out rows.
func (l *Learner) Chosen() (Choice, []algorithm.Judged) {
	c := l.best()
	out := Choice{Components: c.components}
	if r := c.form.relativePrior(); r != nil {
		out.Lambda = r.lambda
	}
	return out, l.choosing.judged
}

// Rescaled reports whether the model was trained on [Config.Rescaled].
func (l *Learner) Rescaled() bool { return l.best().view != l.view }

// Diversity returns the entropy l-diversity of the last LocalUpdate's statistics.
func (l *Learner) Diversity() privacy.Diversity { return l.best().diversity }

// LowDiversity returns what the last round did about the model's components with too few of
// this participant's rows.
func (l *Learner) LowDiversity() []algorithm.LowDiversity { return l.best().done }

// Stalled returns the error of the graphical lasso that ended farthest from its solution in the
// last Optimize, or nil if all are solved.
func (l *Learner) Stalled() *glasso.StalledError { return l.best().stalled }

// SetupSums returns the number of collectives in the last Start.
func (l *Learner) SetupSums() int { return l.setup }

// TotalRows returns N, the number of rows of all participants in the last total, 0 before the
// first.
func (l *Learner) TotalRows() int { return l.total }

// EachLeftOut calls f with the surprise of each of some own rows under m, the mixture of
// [Learner.Written], as if m had been fitted without that row; see [gmm.Mixture.EachLeftOut].
// It needs the relative prior and a completed round.
func (l *Learner) EachLeftOut(m *gmm.Mixture, rows gmm.Rows, f func(from int, scores []float64)) error {
	c := l.best()
	// The weights rest on the own rows, and on those that the prior counts for each component.
	weighed := float64(l.rows.N) + float64(l.config.weightRows()*float64(c.components))
	return m.EachLeftOut(rows, gmm.FittedTo{Counts: m.ComponentRows(), Own: weighed, Mean: c.form.meanRows(), Covariance: priorRows(m.Dim())}, f)
}
