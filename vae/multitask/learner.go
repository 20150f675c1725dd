package multitask

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/columnstats"
	"github.com/collabdict/collabdict/vae/nn"
)

// Learner learns a [Model] over a group: the decoder is shared, the encoder each
// participant's own. A round is one step of the decoder, or E of each member's own.
//
// Invariant: the decoder, and what its optimiser keeps, follow from the totals alone. The
// encoder of the last LocalUpdate takes effect with the Optimize that follows, so that a
// failed sum changes nothing; what is drawn depends on the seeds and the round alone.
type Learner struct {
	config     Config
	rows       []float32
	n, columns int
	seed       uint64

	limits  limits
	model   *Model
	pass    *pass
	batch   sample
	decoder *nn.Adam // of the shared steps, or of the own ones of a round
	shared  []float32
	own     *private // as the last LocalUpdate has left it
	kept    *private // as it is in effect
	pending bool
	scaled  float64

	round, counted int
}

var _ collabdict.Learner = (*Learner)(nil)

// Rows is a source of rows.
type Rows = nn.Rows

var errNotStarted = errors.New("the learner has no parameters: start it first")

// NewLearner returns a learner on a participant's rows, which it reads once and holds in
// float32, standardised by the caller if at all. The seed is the participant's own: it
// draws mini-batches and noise. When the participant begins a run again, it has to be the
// same.
func NewLearner(rows Rows, config Config, seed uint64) (*Learner, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	all, err := nn.InMemory(rows)
	if err != nil {
		return nil, err
	}
	l := &Learner{config: config.withDefaults(), rows: all, seed: seed}
	l.n, l.columns = rows.Dims()
	return l, nil
}

// Start agrees with the group on a bound of the rows of a member, a power of two. The
// first weights are the same for all, by Config.Seed.
func (l *Learner) Start(ctx context.Context, g collabdict.Group) error {
	agreed, err := columnstats.Agree(ctx, g, rowCount{l.n})
	if err != nil {
		return err
	}
	l.limits = limits{rows: agreed.Rows, columns: l.columns, config: l.config, clip: firstClip}
	l.model = NewModel(l.columns, l.config)
	l.pass = newPass(l.model)
	l.shared = slices.Clone(l.model.Decoder.Shared.Values)
	l.decoder = nn.NewAdam(len(l.shared), float32(l.config.Rate))
	encoder := l.model.Encoder.Shared.Values
	l.own, l.kept = newPrivate(encoder, l.config), newPrivate(encoder, l.config)
	l.pending, l.round, l.counted = false, 0, 0
	return nil
}

// rowCount is so many rows of which nothing is to be known but their number.
type rowCount struct{ n int }

func (c rowCount) Dims() (n, m int) { return c.n, 1 }

func (rowCount) ReadRows(x []float64, _ int) error {
	for i := range x {
		x[i] = 1
	}
	return nil
}

// Digest implements [collabdict.Digester]: that of the decoder.
func (l *Learner) Digest() [32]byte { return nn.Digest(l.shared) }

// LocalUpdate makes the encoder's steps, Eq. (33), and computes what this participant
// brings to the sum: for each weight of the decoder, in the order of Decoder.Shared, the mean
// derivative of minus the lower bound, Eq. (34), or how its own steps have changed it;
// then the lower bound, a mean too; all times N^s, and last N^s itself.
func (l *Learner) LocalUpdate() (x []float64, blocks []collabdict.Block, err error) {
	if l.model == nil {
		return nil, nil, errNotStarted
	}
	l.restore()
	src := rand.NewPCG(l.seed, uint64(l.round))
	var elbo float64
	if l.config.LocalSteps == 0 {
		x, elbo, err = l.gradient(src)
	} else {
		x, elbo, err = l.ownSteps(src)
	}
	if err != nil {
		l.restore()
		return nil, nil, fmt.Errorf("round %d: %w", l.round+1, err)
	}
	copy(l.own.weights, l.model.Encoder.Shared.Values)
	l.pending = true
	most := l.limits.objective()
	x = append(x, max(-most, min(elbo, most)))
	for i := range x {
		x[i] *= float64(l.n)
	}
	return append(x, float64(l.n)), l.limits.blocks(len(l.shared)), nil
}

// restore brings back what is in effect.
func (l *Learner) restore() {
	l.own.set(l.kept)
	copy(l.model.Encoder.Shared.Values, l.kept.weights)
	copy(l.model.Decoder.Shared.Values, l.shared)
	l.pending = false
}

// Optimize makes the shared step, Eqs. (35) and (36), by the total divided by the number
// of rows: of Adam along the gradient, or by the mean change. It returns the mean lower
// bound per row, in nats, of the rows that were drawn. A total that cannot be one of what
// members may bring is an error, and changes nothing. Without the own part in it the
// encoder stays as it was.
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

// Model returns the model in effect, nil before Start. It is the learner's own: another
// that is to be kept takes its weights by [Model.SetFrom] between two rounds.
func (l *Learner) Model() *Model { return l.model }

// TotalRows returns N, the rows of all participants in the last total; 0 before the first.
func (l *Learner) TotalRows() int { return l.counted }

// Aggressive says whether the encoder still gets several steps for each of the decoder.
func (l *Learner) Aggressive() bool { return l.kept != nil && l.kept.lagging.on }
