package multitask

import (
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict/vae"
)

// private is a participant's own state of φ^s: the weights, their optimiser, and whether they
// still lag behind the decoder.
type private struct {
	weights []float32
	adam    *vae.Adam
	lagging lagging
}

// lagging decides whether the encoder gets several steps per decoder step.
type lagging struct {
	on          bool
	information float64 // mutual information at the end of the last epoch
	rows        int     // rows that the decoder has used since
}

func newPrivate(weights []float32, c Config) *private {
	return &private{
		weights: append([]float32(nil), weights...), adam: vae.NewAdam(len(weights), float32(c.Rate)),
		lagging: lagging{on: c.Aggressive > 1},
	}
}

func (p *private) set(from *private) {
	copy(p.weights, from.weights)
	p.adam.Set(from.adam)
	p.lagging = from.lagging
}

// compare is the number of encoder steps whose mean loss is compared with the mean loss of the same
// number of steps before.
const compare = 10

// encode makes encoder steps, Eq. (33), each on newly drawn rows. It makes one, or, while the
// encoder lags behind, up to Config.Aggressive as long as the loss falls (He et al. 2019,
// Algorithm 1).
func (l *Learner) encode(src rand.Source) error {
	steps := 1
	if l.own.lagging.on {
		steps = l.config.Aggressive
	}
	before, now := math.Inf(1), 0.0
	for i := 1; i <= steps; i++ {
		loss, err := l.encoderStep(src)
		if err != nil {
			return err
		}
		if now += loss; i%compare != 0 {
			continue
		}
		if now >= before {
			break
		}
		before, now = now, 0
	}
	return nil
}

func (l *Learner) encoderStep(src rand.Source) (loss float64, err error) {
	weight := l.config.klWeight(l.round)
	v, err := l.pass.forward(l.draw(src), src)
	if err != nil {
		return 0, err
	}
	l.pass.encoderGradient(v, weight, l.config.FreeBits)
	encoder := l.model.Encoder.Shared
	l.own.adam.Step(encoder.Values, encoder.Gradient)
	return v.loss(weight, l.config.FreeBits), nil
}

// caughtUp ends the encoder's extra steps after the first epoch of the own rows in which the
// mutual information of x and z has not grown.
func (l *Learner) caughtUp(rows int) error {
	lag := &l.own.lagging
	if lag.rows += rows; !lag.on || lag.rows < l.n {
		return nil
	}
	h, err := l.Health()
	if err != nil {
		return err
	}
	lag.on = h.Information > lag.information
	lag.information, lag.rows = h.Information, 0
	return nil
}

// draw returns the rows of a step: Config.Batch of them, each at most once, or all.
func (l *Learner) draw(src rand.Source) []float32 {
	size := min(l.config.Batch, l.n)
	if size == l.n {
		return l.rows
	}
	l.batch.fill(l.n, size, src)
	l.pass.x = vae.Gather(l.pass.x, l.rows, l.columns, l.batch.rows)
	return l.pass.x
}

type sample struct {
	rows []int
	has  map[int]struct{}
}

// fill draws size of n rows; all sets are equally likely (Floyd's algorithm).
func (s *sample) fill(n, size int, src rand.Source) {
	rng := rand.New(src)
	s.rows = s.rows[:0]
	if s.has == nil {
		s.has = make(map[int]struct{}, size)
	}
	clear(s.has)
	for j := n - size; j < n; j++ {
		r := rng.IntN(j + 1)
		if _, drawn := s.has[r]; drawn {
			r = j
		}
		s.has[r] = struct{}{}
		s.rows = append(s.rows, r)
	}
}
