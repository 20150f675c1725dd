package dem

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/privacy/guard"
)

// Config defines where EM starts: exactly one of Mixture and Centres is set, the same at all
// members.
type Config struct {
	// Mixture agrees with the group on the first mixture.
	Mixture func(ctx context.Context, g collabdict.Group) (*gmm.Mixture, error)
	// Centres agrees with the group on K by M centres. The first mixture, of the given Form,
	// then follows from a sum over all rows, in which each row is weighted by its distance to
	// the centres.
	Centres func(ctx context.Context, g collabdict.Group) (*mat.Dense, error)
	Form    gmm.Covariance
	// Diversity is the rule for statistics that rest on few of the own rows.
	Diversity privacy.Rule
	// RegCovar is added to the diagonal of every covariance matrix; 0 means 1e-6.
	RegCovar float64
	// Blur is the standard deviation, in rows, of the noise on each value of a total, which
	// holds against this number of Colluders; 0 adds none. It has the same size in all columns,
	// so it needs rows whose spread is about 1 in each of them, and whose middle is near 0.
	Blur      float64
	Colluders int
	// Source draws the participant's secrets. It is needed for Blur, and for a rule of
	// diversity that draws.
	Source rand.Source
}

// Learner is one participant's part of distributed EM. Unlike with [ggm.Learner], the whole
// mixture is shared, including its weights.
//
// Invariant: the mixture is the one of the last Optimize, or of Start before the first, and
// equal at all members.
type Learner struct {
	rows    *passes.Reader
	config  Config
	limits  limits
	origin  []float64 // M values, the point about which all moments of the run are taken
	same    *columnstats.SameRows
	model   *gmm.Mixture
	counted int
	updated []float64 // N_k^s of the last local update
	own     []float64 // N_k^s of the own vector in the last total; nil if none was counted
	all     []float64 // N_k of the last total
	unmoved privacy.Unmoved

	blur  *privacy.Blur // nil for none
	noise float64       // its standard deviation on a value of a total

	diversity       privacy.Diversity // of the last local update
	guard, guarding guard.Components  // components left out or drawn, before and after the last local update
	doing, done     []algorithm.LowDiversity
	secret          privacy.Key // secret from which draws follow
	optimised       int         // number of rounds that Optimize has completed
}

var (
	_ collabdict.Learner    = (*Learner)(nil)
	_ collabdict.Cumulative = (*Learner)(nil)
)

var errNotStarted = errors.New("the learner has no mixture: start it first")

const regCovar = 1e-6

// NewLearner returns a learner on a participant's rows. Each round reads them once.
func NewLearner(rows gmm.Rows, config Config) (*Learner, error) {
	if (config.Mixture == nil) == (config.Centres == nil) {
		panic("dem: want either a mixture or centres to start from")
	}
	if n, dim := rows.Dims(); n == 0 || dim == 0 {
		return nil, fmt.Errorf("rows: want at least 1 row and 1 column, got %d by %d", n, dim)
	}
	if err := gmm.CheckRows(rows); err != nil {
		return nil, err
	}
	if n, _ := rows.Dims(); n < config.Diversity.LeastRows() {
		return nil, fmt.Errorf("rows: want at least %d for the agreed diversity, got %d", config.Diversity.LeastRows(), n)
	}
	if config.RegCovar == 0 {
		config.RegCovar = regCovar
	}
	l := &Learner{rows: passes.NewReader(rows), config: config}
	if config.Diversity.Secret() {
		if config.Source == nil {
			return nil, errors.New("diversity: want a source to draw from, got none")
		}
		l.secret = privacy.NewKey(config.Source)
	}
	return l, nil
}

// Start agrees with the group on bounds of everything to be summed, and on the first mixture.
func (l *Learner) Start(ctx context.Context, g collabdict.Group) error {
	agreed, err := columnstats.Agree(ctx, g, l.rows.Rows)
	if err != nil {
		return err
	}
	l.limits = limits{agreed}
	l.blur = privacy.NewBlur(l.config.Blur, g.Membership().Size, l.config.Colluders, l.config.Source)
	l.noise = l.blur.Deviation(g.Membership().Size)
	l.same = columnstats.NewSameRows(g, agreed, l.noise)
	model, err := l.first(ctx, g)
	if err != nil {
		return err
	}
	if model.Dim() != l.rows.Dim {
		return fmt.Errorf("want a first mixture of %d columns, as many as the rows have, got %d", l.rows.Dim, model.Dim())
	}
	l.model = model
	return nil
}

// first returns the first mixture, and sets the origin: 0 if rows are near it, else the middle of
// the mixture's means or of the centres.
func (l *Learner) first(ctx context.Context, g collabdict.Group) (*gmm.Mixture, error) {
	l.origin = make([]float64, l.rows.Dim)
	if l.config.Mixture != nil {
		m, err := l.config.Mixture(ctx, g)
		if err == nil && l.blur == nil {
			l.origin = middle(m.Means())
		}
		return m, err
	}
	centres, err := l.config.Centres(ctx, g)
	if err != nil {
		return nil, err
	}
	if l.blur == nil {
		l.origin = middle(centres)
	}
	return l.fromCentres(ctx, g, centres)
}

// Running implements [collabdict.Cumulative]. Some of the statistics are nearly equal in all rounds,
// such as the mean of the rows. In a running total, the loss of a member does not reveal them.
func (l *Learner) Running() collabdict.Running { return collabdict.Running{Key: "statistics"} }

func middle(points *mat.Dense) []float64 {
	k, dim := points.Dims()
	out := make([]float64, dim)
	for c := range k {
		for i, v := range points.RawRowView(c) {
			out[i] += v / float64(k)
		}
	}
	return out
}

// Digest implements [collabdict.Digester].
func (l *Learner) Digest() [32]byte { return l.model.Digest(true) }

// LocalUpdate computes the number of own rows, and their statistics about the fixed origin, as
// [gmm.Mixture.SumsAbout] does. It applies the rule of diversity.
func (l *Learner) LocalUpdate() (collabdict.Summand, error) {
	if l.model == nil {
		return collabdict.Summand{}, errNotStarted
	}
	s, err := l.guarded()
	if err != nil {
		return collabdict.Summand{}, err
	}
	l.updated = slices.Clone(s.N)
	return l.summand(append(s.Pack(), l.limits.within(s.Entropy, s.K)), s.K, l.model.Form(), fmt.Sprint("round ", l.optimised)), nil
}

// summand returns the number of own rows followed by their statistics, which are blurred.
func (l *Learner) summand(statistics []float64, k int, form gmm.Covariance, name string) collabdict.Summand {
	blocks := l.limits.sums(k, l.origin, form)
	l.blur.Add(statistics, blocks, "components", name)
	return collabdict.Summand{
		Entry: statisticsEntry, Running: l.Running(),
		Values: append([]float64{float64(l.rows.N)}, statistics...), Blocks: append(columnstats.AppendBlock(nil, 1, l.limits.Rows), blocks...),
	}
}

// statistics returns the number of rows of all members and their statistics, given a total.
func (l *Learner) statistics(total []float64, k int, form gmm.Covariance, length int) (rows float64, of []float64, err error) {
	if err := check(total, 1+length); err != nil {
		return 0, nil, err
	}
	if err := l.same.Check(total[0], k, total[1:], l.limits.sums(k, l.origin, form)); err != nil {
		return 0, nil, err
	}
	return math.Round(total[0]), slices.Clone(total[1:]), nil
}

// Optimize is the M-step on the statistics of all members. The objective, after the step, is
// the lower bound of the mean log-likelihood of all rows that EM raises, in nats (Neal and
// Hinton 1998); use it with AbsTol of [collabdict.Options]. After an error the mixture is
// unchanged.
func (l *Learner) Optimize(total []float64, included bool) (objective float64, err error) {
	if l.model == nil {
		return 0, errNotStarted
	}
	rows, sums, err := l.statistics(total, l.model.Components(), l.model.Form(), l.model.SumsLen())
	if err != nil {
		return 0, err
	}
	settle(sums, l.model, l.origin)
	l.sharpen(sums, l.model.Components(), l.model.Form())
	next, err := maximise(sums, l.model, l.origin, l.config.RegCovar)
	if err != nil {
		return 0, err
	}
	l.done = nil
	if included {
		l.own, l.guard, l.done = l.updated, l.guarding, l.doing
	}
	l.optimised++
	l.all = slices.Clone(sums[:next.Components()])
	l.unmoved = l.unmoved.Next(l.all, l.noise, l.optimised)
	l.model, l.counted = next.WithRows(l.all), int(rows)
	return next.BoundAbout(l.origin, sums) / rows, nil
}

func check(total []float64, want int) error {
	if len(total) != want {
		return fmt.Errorf("want a total of %d values, got %d", want, len(total))
	}
	for i, v := range total {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("want a total of finite values, got %g as value %d", v, i+1)
		}
	}
	return nil
}

// Mixture returns the current mixture, or nil before Start.
func (l *Learner) Mixture() *gmm.Mixture { return l.model }

// Lone returns the components, from 0, that have only this participant's rows.
func (l *Learner) Lone() []int { return privacy.Lone(l.own, l.all) }

// Unmoved is that of [ggm.Learner].
func (l *Learner) Unmoved() []int { return l.unmoved.Since(l.own) }

// TotalRows returns the number of rows of all participants in the last total, 0 before the
// first.
func (l *Learner) TotalRows() int { return l.counted }
