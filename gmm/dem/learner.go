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
	"github.com/collabdict/collabdict/gmm/internal/guard"
	"github.com/collabdict/collabdict/gmm/internal/passes"
	"github.com/collabdict/collabdict/gmm/privacy"
	"github.com/collabdict/collabdict/internal/columnstats"
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
	// Moments, if not nil, are the moments that participants already know of all rows; the
	// learner's running totals continue from them. Either all members have them, or none.
	Moments *columnstats.Moments
	// Diversity is the rule for statistics that rest on few of the own rows.
	Diversity privacy.Rule
	// RegCovar is added to the diagonal of every covariance matrix; 0 means 1e-6.
	RegCovar float64
	// Blur is the standard deviation, in rows, of the noise on each value of a total, which
	// holds against this number of Colluders; 0 adds none.
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
	running collabdict.Running
	same    *columnstats.SameRows
	model   *gmm.Mixture
	counted int
	updated []float64 // N_k^s of the last local update
	own     []float64 // N_k^s of the own vector in the last total; nil if none was counted
	all     []float64 // N_k of the last total

	blur   *privacy.Blur // nil for none
	scales []float64     // units of the blur, if there is any

	diversity       privacy.Diversity // of the last local update
	guard, guarding guard.Components  // components left out or drawn, before and after the last local update
	doing, done     []algorithm.LowDiversity
	secret          guard.Secret // secret from which draws follow
	optimised       int          // number of rounds that Optimize has completed
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
		l.secret = guard.NewSecret(config.Source)
	}
	return l, nil
}

// Start agrees with the group on bounds of everything to be summed, and on the first mixture.
func (l *Learner) Start(ctx context.Context, g collabdict.Group) error {
	agreed, err := columnstats.Agree(ctx, g, l.rows.Rows)
	if err != nil {
		return err
	}
	if l.config.Moments != nil {
		agreed = l.config.Moments.Widened(agreed)
	}
	l.limits = limits{agreed}
	l.blur = privacy.NewBlur(l.config.Blur, g.Size(), l.config.Colluders, l.config.Source)
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

// first returns the first mixture, and sets the origin to the middle of its means or of the
// centres.
func (l *Learner) first(ctx context.Context, g collabdict.Group) (*gmm.Mixture, error) {
	if l.config.Mixture != nil {
		m, err := l.config.Mixture(ctx, g)
		if err != nil {
			return nil, err
		}
		l.begin(g, middle(m.Means()), m.Components(), m.Form())
		return m, nil
	}
	centres, err := l.config.Centres(ctx, g)
	if err != nil {
		return nil, err
	}
	k, _ := centres.Dims()
	l.begin(g, middle(centres), k, l.config.Form)
	return l.fromCentres(ctx, g, centres)
}

// begin sets the origin and the start of the running totals.
func (l *Learner) begin(g collabdict.Group, origin []float64, k int, form gmm.Covariance) {
	l.origin, l.running = origin, collabdict.Running{Key: "statistics"}
	if l.config.Blur > 0 {
		l.scales = l.deviations()
		l.blur.Scale(l.scales, form == gmm.Full)
	}
	l.same = columnstats.NewSameRows(g, l.limits.Bounds, l.config.Moments, k)
	if l.config.Moments == nil {
		return
	}
	with := columnstats.Squares
	if form == gmm.Full {
		with = columnstats.AllProducts
	}
	l.running = l.config.Moments.Running(l.running.Key, k, origin, with, 1)
}

// Running implements [collabdict.Cumulative]. It names the part of the statistics that is equal
// in all rounds, so that the loss of a member does not reveal it.
func (l *Learner) Running() collabdict.Running { return l.running }

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

// LocalUpdate computes the statistics of the own rows about the fixed origin, as
// [gmm.Mixture.SumsAbout] does, and applies the rule of diversity.
func (l *Learner) LocalUpdate() (x []float64, blocks []collabdict.Block, err error) {
	if l.model == nil {
		return nil, nil, errNotStarted
	}
	s, err := l.guarded()
	if err != nil {
		return nil, nil, err
	}
	l.updated = slices.Clone(s.N)
	x, blocks = append(s.Pack(), l.limits.within(s.Entropy, s.K)), l.limits.sums(s.K, l.origin, l.model.Form())
	l.blur.Add(x, blocks, uint64(l.optimised)+1, true)
	return x, blocks, nil
}

// Optimize is the M-step on the statistics of all members. The objective, after the step, is
// the lower bound of the mean log-likelihood of all rows that EM raises, in nats (Neal and
// Hinton 1998); use it with AbsTol of [collabdict.Options]. After an error the mixture is
// unchanged.
func (l *Learner) Optimize(total []float64, included bool) (objective float64, err error) {
	if l.model == nil {
		return 0, errNotStarted
	}
	if err := check(total, l.model.SumsLen()); err != nil {
		return 0, err
	}
	if err := l.same.Check(total, l.limits.sums(l.model.Components(), l.origin, l.model.Form())); err != nil {
		return 0, err
	}
	total = slices.Clone(total)
	settle(total, l.model, l.origin)
	l.sharpen(total, l.model.Components(), l.model.Form())
	next, err := maximise(total, l.model, l.origin, l.config.RegCovar)
	if err != nil {
		return 0, err
	}
	rows := passes.Sum(total[:l.model.Components()])
	l.done = nil
	if included {
		l.own, l.guard, l.done = l.updated, l.guarding, l.doing
	}
	l.optimised++
	l.all = slices.Clone(total[:next.Components()])
	l.model, l.counted = next.WithRows(l.all), int(math.Round(rows))
	return next.BoundAbout(l.origin, total) / rows, nil
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

// TotalRows returns the number of rows of all participants in the last total, 0 before the
// first.
func (l *Learner) TotalRows() int { return l.counted }
