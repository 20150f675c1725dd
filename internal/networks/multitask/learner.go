package multitask

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/vae"
)

// Learner learns a [Model] over a group. The decoder is shared; the encoder is each
// participant's own. A round is one step of the decoder, or E steps at each member.
//
// Invariant: the decoder and its optimiser's state follow from the totals alone. The encoder of
// the last LocalUpdate takes effect with the next Optimize, so a failed sum changes nothing.
// Draws depend only on the seeds and the round.
type Learner struct {
	config     Config
	rows       []float32
	n, columns int
	seed       uint64

	limits  limits
	model   *Model
	pass    *pass
	batch   sample
	decoder *vae.Adam // optimiser of the shared steps; with own steps, a new one in each round
	shared  []float32
	own     *private // after the last LocalUpdate
	kept    *private // currently in effect
	pending bool
	scaled  float64

	round, counted int
}

var _ collabdict.Learner = (*Learner)(nil)

// Rows is a source of rows.
type Rows = vae.Rows

var errNotStarted = errors.New("the learner has no parameters: start it first")

// NewLearner returns a learner on a participant's rows. The caller standardises them, if at
// all; the learner reads them once and holds them in float32. The seed belongs to the
// participant: it draws mini-batches and noise. If the participant starts the run again, the
// seed must be the same.
func NewLearner(rows Rows, config Config, seed uint64) (*Learner, error) {
	all, err := vae.InMemory(rows)
	if err != nil {
		return nil, err
	}
	l := &Learner{config: config.withDefaults(), rows: all, seed: seed}
	l.n, l.columns = rows.Dims()
	return l, nil
}

// Start agrees with the group on a bound of the number of rows of a member, a power of two. By
// Config.Seed, the first weights are the same for all.
func (l *Learner) Start(ctx context.Context, g collabdict.Group) error {
	agreed, err := columnstats.Agree(ctx, g, rowCount{l.n})
	if err != nil {
		return err
	}
	l.limits = limits{rows: agreed.Rows, columns: l.columns, config: l.config, clip: firstClip}
	l.model = NewModel(l.columns, l.config)
	l.pass = newPass(l.model)
	l.shared = slices.Clone(l.model.Decoder.Shared.Values)
	l.decoder = vae.NewAdam(len(l.shared), float32(l.config.Rate))
	encoder := l.model.Encoder.Shared.Values
	l.own, l.kept = newPrivate(encoder, l.config), newPrivate(encoder, l.config)
	l.pending, l.round, l.counted = false, 0, 0
	return nil
}

// rowCount stands for n rows without their values.
type rowCount struct{ n int }

func (c rowCount) Dims() (n, m int) { return c.n, 1 }

func (rowCount) ReadRows(x []float64, _ int) error {
	for i := range x {
		x[i] = 1
	}
	return nil
}

// Digest implements [collabdict.Digester] with the digest of the decoder.
func (l *Learner) Digest() [32]byte { return vae.Digest(l.shared) }

// LocalUpdate makes the encoder's steps, Eq. (33), and computes this participant's part of the
// sum. For each weight of the decoder, in the order of Decoder.Shared, it has the mean
// derivative of minus the lower bound, Eq. (34), or the change in the participant's own steps.
// The mean lower bound follows; all of these are times N^s. The last value is N^s itself.
func (l *Learner) LocalUpdate() (collabdict.Summand, error) {
	if l.model == nil {
		return collabdict.Summand{}, errNotStarted
	}
	l.restore()
	src := rand.NewPCG(l.seed, uint64(l.round))
	var x []float64
	var elbo float64
	var err error
	if l.config.LocalSteps == 0 {
		x, elbo, err = l.gradient(src)
	} else {
		x, elbo, err = l.ownSteps(src)
	}
	if err != nil {
		l.restore()
		return collabdict.Summand{}, fmt.Errorf("round %d: %w", l.round+1, err)
	}
	copy(l.own.weights, l.model.Encoder.Shared.Values)
	l.pending = true
	most := l.limits.objective()
	x = append(x, max(-most, min(elbo, most)))
	for i := range x {
		x[i] *= float64(l.n)
	}
	return collabdict.Summand{Entry: updatesEntry, Values: append(x, float64(l.n)), Blocks: l.limits.blocks(len(l.shared))}, nil
}

func (l *Learner) restore() {
	l.own.set(l.kept)
	copy(l.model.Encoder.Shared.Values, l.kept.weights)
	copy(l.model.Decoder.Shared.Values, l.shared)
	l.pending = false
}

// Optimize makes the shared step, Eqs. (35) and (36), with the total divided by the number of
// rows: a step of Adam along the gradient, or the mean change. It returns the mean lower bound
// per row, in nats, over the drawn rows. A total that members cannot produce within their
// bounds is an error and changes nothing. If the total does not include the own part, the
// encoder does not change.
func (l *Learner) Optimize(total []float64, included bool) (objective float64, err error) {
	if l.model == nil {
		return 0, errNotStarted
	}
	n, err := l.limits.check(total, len(l.shared))
	if err != nil {
		return 0, err
	}
	if included && l.pending {
		l.kept.set(l.own)
	}
	l.restore()
	weights := l.model.Decoder.Shared.Values
	if l.config.LocalSteps == 0 {
		g := l.model.Decoder.Shared.Gradient
		l.limits.mean(g, total, n)
		l.decoder.Step(weights, g)
	} else {
		for i := range weights {
			weights[i] = float32(float64(weights[i]) + total[i]/n)
		}
	}
	copy(l.shared, weights)
	l.counted = int(n)
	l.round++
	return total[len(l.shared)] / n, nil
}

// Model returns the current model, or nil before Start. It belongs to the learner; to keep a
// copy, use [Model.SetFrom] between two rounds.
func (l *Learner) Model() *Model { return l.model }

// TotalRows returns N, the number of rows of all participants in the last total, 0 before the
// first.
func (l *Learner) TotalRows() int { return l.counted }

// Aggressive reports whether the encoder still gets several steps per decoder step.
func (l *Learner) Aggressive() bool { return l.kept != nil && l.kept.lagging.on }
