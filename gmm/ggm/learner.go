package ggm

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
	"github.com/collabdict/collabdict/gmm/glasso"
	"github.com/collabdict/collabdict/gmm/internal/guard"
	"github.com/collabdict/collabdict/gmm/internal/passes"
	"github.com/collabdict/collabdict/gmm/privacy"
	"github.com/collabdict/collabdict/internal/columnstats"
	"github.com/collabdict/collabdict/internal/partial"
	"github.com/collabdict/collabdict/internal/rows"
)

// Learner learns the sparse Gaussian graphical model mixture of Idé et al. 2024,
// section 4.4, over a group: means and precisions are shared, weights are each
// participant's own. The prior mean m₀ is 0 in the coordinates of the rows.
//
// Invariant: the model is the one of the last Optimize (at first, of Start). What
// LocalUpdate computes takes effect with the Optimize that follows, so that a
// failed sum changes nothing.
type Learner struct {
	rows   *passes.Reader // all, with something in the place of missing cells
	config Config

	whole   *passes.Reader // those with no missing cell; nil for none
	partial *passes.Reader // those with missing cells; nil for none

	limits  limits
	total   int // N of all participants of the start
	counted int // of those in the last total
	setup   int

	running collabdict.Running // of the statistics
	counts  bool               // a vector of this participant is in the total
	secret  guard.Secret       // that draws follow from, where the rule of diversity has any
	blur    *privacy.Blur      // nil for none

	optimised int          // rounds that Optimize has completed
	live      []*candidate // at least one after Start
	choosing  choosing
}

var (
	_ collabdict.Learner    = (*Learner)(nil)
	_ collabdict.Cumulative = (*Learner)(nil)
)

var errNotStarted = errors.New("the learner has no parameters: start it first")

// NewLearner returns a learner on a participant's rows, N^s by M, standardised by
// the caller if at all. It keeps the source, and reads all rows once; each sum over
// them is another pass, or two. Rows that cannot be read are an error of the method
// that asked for the sum.
func NewLearner(of gmm.Rows, config Config) (*Learner, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	n, dim := of.Dims()
	if n == 0 || dim == 0 {
		return nil, fmt.Errorf("rows: want at least 1 row and 1 column, got %d by %d", n, dim)
	}
	l := &Learner{config: config}
	if config.Diversity.Secret() {
		l.secret = guard.NewSecret(config.Source)
	}
	if err := l.split(of); err != nil {
		return nil, err
	}
	if least := config.Diversity.LeastRows(); n < least {
		return nil, fmt.Errorf("rows: want at least %d for the agreed diversity, got %d", least, n)
	}
	if err := l.rows.Check(math.Ldexp(1, columnstats.MaxExp-1)); err != nil {
		return nil, err
	}
	if config.Held != nil {
		x, err := algorithm.Dense(config.Held)
		if err != nil {
			return nil, err
		}
		l.choosing.held = x
	}
	if config.Init != nil {
		if _, got := config.Init.Means.Dims(); got != dim {
			return nil, fmt.Errorf("init: means: want %d columns, as many as the rows have, got %d", dim, got)
		}
	}
	return l, nil
}

// split tells rows with missing cells from others.
func (l *Learner) split(of gmm.Rows) error {
	l.rows = passes.NewReader(of)
	l.whole = l.rows
	if !l.config.Missing {
		return nil
	}
	all, lacking, err := partial.Complete(of)
	if err != nil || lacking == nil {
		return err
	}
	l.rows, l.partial, l.whole = passes.NewReader(all), passes.NewReader(rows.Subset(of, lacking)), nil
	if len(lacking) < l.rows.N {
		l.whole = passes.NewReader(rows.Without(of, lacking))
	}
	return nil
}

// Start agrees with the group on bounds of the statistics and on the first
// parameters: those of Config.Init, or else the best of several clusterings.
func (l *Learner) Start(ctx context.Context, g collabdict.Group) error {
	l.blur = privacy.NewBlur(l.config.Blur, g.Size(), l.config.Colluders, l.config.Source)
	counted := &counter{Group: g}
	defer func() { l.setup = counted.calls }()
	s := &starter{Learner: l, group: counted, carrier: g}
	var err error
	if l.live, err = s.start(ctx); err != nil {
		return err
	}
	l.counts = counted.in
	return nil
}

// counter counts the collectives of a group, and notes whether the total of the statistics
// has this participant's vector.
type counter struct {
	collabdict.Group
	calls int
	in    bool
}

func (c *counter) Sum(ctx context.Context, x []float64, blocks []collabdict.Block) ([]float64, error) {
	c.calls++
	return c.Group.Sum(ctx, x, blocks)
}

func (c *counter) Accumulate(ctx context.Context, r collabdict.Running, x []float64, blocks []collabdict.Block) ([]float64, error) {
	c.calls++
	total, err := c.Group.Accumulate(ctx, r, x, blocks)
	a, may := c.Group.(collabdict.Absentee)
	c.in = c.in || r.Key == statisticsKey && (!may || a.Included())
	return total, err
}

func (c *counter) Gather(ctx context.Context, blob []byte) ([][]byte, error) {
	c.calls++
	return c.Group.Gather(ctx, blob)
}

// Counted reports whether a total has counted this participant's statistics: the model was
// made with them.
func (l *Learner) Counted() bool { return l.counts }

// Digest implements [collabdict.Digester]; the weights are each participant's own.
func (l *Learner) Digest() [32]byte {
	h := sha256.New()
	for _, c := range l.live {
		d := c.model.Digest(false)
		h.Write(d[:])
	}
	return [32]byte(h.Sum(nil))
}

// Running implements [collabdict.Cumulative]. What the statistics have in common in all
// rounds, the number, mean and covariance of the rows, does not show when a member is lost.
func (l *Learner) Running() collabdict.Running { return l.running }

// LocalUpdate computes the statistics of Eqs. (12) and (13) with μ_k for m_k:
// the moments N_k^s, m_k^s and the upper triangle of C_k^s in the order of pack, and last
// what else of the objective is this participant's alone,
//
//	e^s = −Σ_n Σ_k r_k(n) ln r_k(n) + Σ_k N_k^s ln π_k^s  with  π_k^s = N_k^s / N^s,
//
// where components have no price. Low diversity is dealt with before; see [Config.Diversity].
//
// The local log-likelihood is not summed: when the model has settled, the difference of
// two sums would tell that of a member that is lost. Missing cells have their distribution given
// the others of their row, in each component, whose entropy comes to e^s.
func (l *Learner) LocalUpdate() (x []float64, blocks []collabdict.Block, err error) {
	if l.live == nil {
		return nil, nil, errNotStarted
	}
	for _, c := range l.live {
		own, err := c.update(l)
		if err != nil {
			return nil, nil, err
		}
		x = append(x, own...)
	}
	if len(l.live) > 1 {
		x = append(x, l.choosing.gains(l.live)...)
	}
	blocks = l.limits.all(l.live)
	l.blur.Add(x, blocks, uint64(l.optimised), true)
	return x, blocks, nil
}

// Optimize is Eqs. (14) to (16) on the total of all participants' statistics. A
// component that holds less than one row keeps its parameters. The objective is the lower
// bound of the log posterior that EM raises in every round (Neal and Hinton 1998),
//
//	Σ_{s,n,k} r_k(n) [ln π_k^s + ln N(x|μ_k, Λ_k⁻¹) − ln r_k(n)]
//	+ Σ_k [½ ln|Λ_k| − λ₀/2 μ_kᵀΛ_kμ_k − ρ/2 ‖Λ_k‖₁],
//
// at the parameters after the step, and at each member's responsibilities and weights of
// its vector in the total. It does not fall either while some members' vectors are those
// of earlier rounds. Of several candidates it is the mean, so training does not end
// before all of them have settled. After an error the model is the old one. The weights stay those of
// the vector in the total if that is not this round's, so they follow from what is decided
// and are the same after a restart; a participant of whom no vector is counted fits its
// weights all the same.
func (l *Learner) Optimize(total []float64, included bool) (objective float64, err error) {
	if l.live == nil {
		return 0, errNotStarted
	}
	starts, want := layout(l.live, l.rows.Dim)
	if want != len(total) {
		return 0, fmt.Errorf("want a total of %d values, got %d", want, len(total))
	}
	for i, v := range total {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("want a total of finite values, got %g as value %d", v, i+1)
		}
	}
	counts, counted := l.counts || included, 0
	next := make([]*candidate, len(l.live))
	objectives := make([]float64, len(l.live))
	for i, c := range l.live {
		part := total[starts[i] : starts[i]+c.len(l.rows.Dim)]
		if err := c.same.Check(part, l.limits.statistics(c.components)); err != nil {
			return 0, err
		}
		if i == 0 {
			rows := passes.Sum(passes.Unpack(part[:len(part)-1], c.components, l.rows.Dim, true).N)
			if l.total == 0 {
				if err := l.count(rows); err != nil {
					return 0, err
				}
			}
			counted = int(math.Round(rows))
		}
		x, objective, err := c.step(part, l.rows.Dim, included || !counts)
		if err != nil {
			return 0, err
		}
		if len(l.live) > 1 {
			x.gain = total[want-len(l.live)+i]
		}
		next[i], objectives[i] = &x, objective
	}
	l.counts, l.counted = counts, counted
	l.optimised++
	l.live = l.halve(next)
	return passes.Sum(objectives) / float64(len(objectives)), nil
}

// Model returns the mixture with this participant's weights, nil before Start.
func (l *Learner) Model() *gmm.Mixture {
	if l.live == nil {
		return nil
	}
	return l.live[best(l.live)].model
}

// Written returns the mixture to be kept after the last round: of blurred totals that of the mean of
// the last ones. With the relative prior it has no components that hardly a row is of, and with a
// price of components no weight of those that this participant has not. It knows the rows of all
// participants in the last totals.
func (l *Learner) Written() (*gmm.Mixture, error) {
	at := best(l.live)
	c, err := l.live[at].settled(l.rows.Dim)
	if err != nil {
		return nil, err
	}
	l.live[at] = c
	m, err := c.written(l.sparse(c.components).least)
	if err != nil {
		return nil, err
	}
	rows := c.rows
	if m.Components() < len(rows) {
		rows = nil
		for _, k := range c.kept() {
			rows = append(rows, c.rows[k])
		}
	}
	return m.WithRows(rows), nil
}

// PriorVariances returns the variances of each column that the prior is scaled by; nil of the
// absolute one.
func (l *Learner) PriorVariances() []float64 {
	if r := l.live[best(l.live)].prior.relative; r != nil {
		return slices.Clone(r.variances)
	}
	return nil
}

// Lone returns the components of the mixture that [Learner.Written] returns, from 0, that are of
// this participant's rows alone.
func (l *Learner) Lone() []int { return l.live[best(l.live)].lone() }

// Chosen returns the number of components and the penalty of the model, and what held-out
// rows have said of all that there was to choose from.
func (l *Learner) Chosen() (Choice, []algorithm.Judged) {
	c := l.live[best(l.live)]
	out := Choice{Components: c.components}
	if r := c.prior.relative; r != nil {
		out.Lambda = r.lambda
	}
	return out, l.choosing.judged
}

// Diversity returns the entropy l-diversity of the last LocalUpdate's statistics.
func (l *Learner) Diversity() privacy.Diversity { return l.live[best(l.live)].diversity }

// Stalled returns what is left of the graphical lasso that the last Optimize stopped
// furthest from its solution, nil if all are solved.
func (l *Learner) Stalled() *glasso.StalledError { return l.live[best(l.live)].stalled }

// SetupSums returns how many collectives the last Start took.
func (l *Learner) SetupSums() int { return l.setup }

// TotalRows returns N, the rows of all participants that are in the last total. It is
// known after Start, or the first round where the start was given.
func (l *Learner) TotalRows() int {
	if l.counted > 0 {
		return l.counted
	}
	return l.total
}
