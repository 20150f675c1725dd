package oneshot

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/dem"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/mixtures/kfed"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// most is the largest number of rounds of sums.
const most = 100

// lent is the number of rows shared for the second start (section 5.4).
const lent = 100

// rounds runs EM by sums from one of the three starts.
func (t *trial) rounds(ctx context.Context, name string) (Outcome, error) {
	start, err := t.start(name)
	if err != nil {
		return Outcome{}, err
	}
	stopped, trace, err := t.onwards(ctx, start)
	if err != nil {
		return Outcome{}, err
	}
	o, err := t.score(stopped.mixture)
	if o.Rounds = stopped.rounds; t.onward {
		o.Trace = trace
	}
	return o, err
}

// start returns the start of EM. Its mixtures have as many components as the participants' own.
func (t *trial) start(name string) (func(rank int) em.Config, error) {
	k, dim := t.each, t.parts[0].RawMatrix().Cols
	centres := func(f func(ctx context.Context, g collabdict.Group, rank int) (*mat.Dense, error)) func(int) em.Config {
		return func(rank int) em.Config {
			return em.Config{Plain: &em.Plain{Form: gmm.Diag, Centres: func(ctx context.Context, g collabdict.Group) (*mat.Dense, error) { return f(ctx, g, rank) }}}
		}
	}
	switch name {
	case spread:
		high := make([]float64, dim)
		for i := range high {
			high[i] = 1
		}
		far := em.Spread(k, make([]float64, dim), high, source(t.repeat, name))
		return centres(func(context.Context, collabdict.Group, int) (*mat.Dense, error) { return far, nil }), nil
	case shared:
		src := rand.New(source(t.repeat, name))
		fit, err := gmm.Fit(dem.SharedRows(t.parts, lent, src), k, t.config.EM, src)
		if err != nil {
			return nil, err
		}
		return from(fit.Mixture), nil
	default:
		// Dennis et al. require at most √k clusters per participant.
		each := int(math.Ceil(math.Sqrt(float64(k))))
		return centres(func(ctx context.Context, g collabdict.Group, rank int) (*mat.Dense, error) {
			// clusters of any size, as in the paper
			centres, _, err := kfed.Cluster(ctx, g, t.parts[rank], kfed.Config{Local: each, Clusters: k, MinRows: 1}, source(t.repeat, name))
			return centres, err
		}), nil
	}
}

// from starts with a mixture that all participants have.
func from(m *gmm.Mixture) func(rank int) em.Config {
	return func(int) em.Config {
		return em.Config{Plain: &em.Plain{Mixture: func(context.Context, collabdict.Group) (*gmm.Mixture, error) { return m, nil }}}
	}
}

// stop is the point at which EM by sums meets the tolerance.
type stop struct {
	mixture *gmm.Mixture
	rounds  int
}

// onwards runs EM by exact sums over all participants until the tolerance is met. If there is a
// target, it continues until the mean log-likelihood reaches it.
func (t *trial) onwards(ctx context.Context, start func(rank int) em.Config) (at stop, trace []float64, err error) {
	err = lockstep.Run(ctx, len(t.parts), func(ctx context.Context, g collabdict.Group, rank int) error {
		l, err := em.NewLearner(gmm.Matrix(t.parts[rank]), start(rank))
		if err != nil {
			return err
		}
		stopped, course, err := t.learn(ctx, g, l)
		if rank == 0 {
			at, trace = stopped, course
		}
		return err
	})
	return at, trace, err
}

func (t *trial) learn(ctx context.Context, g collabdict.Group, l *em.Learner) (at stop, trace []float64, err error) {
	if err := l.Start(ctx, g); err != nil {
		return at, nil, err
	}
	for n := 0; n < most && !(at.mixture != nil && t.enough(trace)); n++ {
		sums, err := l.LocalUpdate()
		if err != nil {
			return at, nil, err
		}
		total, err := g.Sum(ctx, sums)
		if err != nil {
			return at, nil, err
		}
		mean, err := l.Optimize(total, true)
		if err != nil {
			return at, nil, err
		}
		trace = append(trace, mean)
		if at.mixture == nil && n > 0 && math.Abs(trace[n]-trace[n-1]) < tolerance {
			at = stop{l.Model(), n + 1}
		}
	}
	if at.mixture == nil {
		at = stop{l.Model(), most}
	}
	return at, trace, nil
}

// enough reports whether a trace has reached the target.
func (t *trial) enough(trace []float64) bool { return trace[len(trace)-1] >= t.target }
