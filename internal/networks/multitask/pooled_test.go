package multitask

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/netsim"
	"github.com/collabdict/collabdict/vae"
)

// pooled trains the same model in one place, with all encoders and one decoder, on combined
// batches: the decoder sees the rows of all participants at once. It returns the decoder and
// the encoders.
func pooled(t *testing.T, c Config, steps int, data []Rows) (decoder []float32, encoders [][]float32) {
	t.Helper()
	c = c.withDefaults()
	parts := make([]*Learner, len(data)) // provide encoders and batches
	total := 0
	for s, rows := range data {
		var err error
		if parts[s], err = NewLearner(rows, c, uint64(s)); err != nil {
			t.Fatal(err)
		}
		if err := parts[s].Start(t.Context(), collabdict.Solo{}); err != nil {
			t.Fatal(err)
		}
		total += parts[s].n
	}
	columns := parts[0].columns
	theta := NewModel(columns, c).Decoder
	adam := vae.NewAdam(len(theta.Shared.Values), float32(c.Rate))
	p := vae.NewGaussian(columns, vae.SoftplusScale)
	for step := range steps {
		var x, z, weights []float32
		for _, l := range parts {
			l.round = step
			copy(l.model.Decoder.Shared.Values, theta.Shared.Values)
			src := rand.NewPCG(l.seed, uint64(step))
			if err := l.encode(src); err != nil {
				t.Fatal(err)
			}
			batch := l.draw(src)
			if _, err := l.pass.forward(batch, src); err != nil {
				t.Fatal(err)
			}
			x, z = append(x, batch...), append(z, l.pass.z...)
			rows := len(batch) / columns
			for range rows {
				weights = append(weights, float32(float64(l.n)/float64(total)/float64(rows)))
			}
		}
		out, err := theta.Forward(z, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := make([]float32, len(out))
		p.Set(out)
		if _, err := p.NegLogLikelihood(d, x, weights); err != nil {
			t.Fatal(err)
		}
		theta.Backward(d, vae.ForParameters)
		adam.Step(theta.Shared.Values, theta.Shared.Gradient)
	}
	for _, l := range parts {
		encoders = append(encoders, l.model.Encoder.Shared.Values)
	}
	return theta.Shared.Values, encoders
}

// Training with summed gradients equals training in one place on combined batches: over plain
// sums, and over the protocol with its default scheme, masks and whole units.
func TestGradientsSummedAreThoseOfThePooledBatch(t *testing.T) {
	config := Config{Latent: 2, Hidden: []int{16}, Batch: 32, Rate: 3e-3, Seed: 5}
	data := []Rows{patterns(200, 5, 0), patterns(90, 5, 1), patterns(20, 5, 2), patterns(350, 5, 3)}
	const steps, tolerance = 50, 1e-4
	decoder, encoders := pooled(t, config, steps, data)
	start := NewModel(5, config).Decoder.Shared.Values
	if moved := furthest(decoder, start); moved < 1e-2 {
		t.Fatalf("weights of the decoder have moved by %g at most: nothing is learned", moved)
	}
	compare := func(learners []*Learner) {
		t.Helper()
		for s, l := range learners {
			sameDecoder(t, l, learners[0])
			if got := furthest(l.model.Decoder.Shared.Values, decoder); got > tolerance {
				t.Errorf("participant %d: a weight of the decoder is %g off", s, got)
			}
			if got := furthest(l.model.Encoder.Shared.Values, encoders[s]); got > tolerance {
				t.Errorf("participant %d: a weight of the encoder is %g off", s, got)
			}
			if l.TotalRows() != 660 {
				t.Errorf("participant %d counts %d rows", s, l.TotalRows())
			}
		}
	}
	learners, _ := train(t, config, steps, data...)
	compare(learners)

	overProtocol(t, steps, data, func(s int) (collabdict.Learner, error) {
		var err error
		learners[s], err = NewLearner(data[s], config, uint64(s))
		return learners[s], err
	})
	compare(learners)
}

// overProtocol trains a learner for each data set in the simulator.
func overProtocol(t *testing.T, rounds int, data []Rows, learner func(s int) (collabdict.Learner, error), faults ...netsim.Fault) {
	t.Helper()
	net, err := netsim.New(netsim.Config{Names: netsim.Names(len(data)), Seed: 1, Faults: faults})
	if err != nil {
		t.Fatal(err)
	}
	_, err = net.Run(t.Context(), func(ctx context.Context, s int, g collabdict.Group) error {
		l, err := learner(s)
		if err != nil {
			return err
		}
		_, err = collabdict.Train(ctx, g, l, collabdict.Options{Rounds: rounds})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// numb is a learner whose decoder has a hidden unit that is never active.
type numb struct{ *Learner }

func (n numb) Start(ctx context.Context, g collabdict.Group) error {
	err := n.Learner.Start(ctx, g)
	n.shared[n.config.Latent*n.config.Hidden[0]] = -1000 // its bias
	return err
}

// Errors of a sum are not mistaken for a gradient: weights without a gradient do not change.
func TestWeightsWithoutAGradientStay(t *testing.T) {
	config := Config{Latent: 2, Hidden: []int{6}}
	data := []Rows{patterns(30, 4, 0), patterns(20, 4, 1), patterns(40, 4, 2), patterns(10, 4, 3)}
	learners := make([]*Learner, len(data))
	overProtocol(t, 20, data, func(s int) (collabdict.Learner, error) {
		var err error
		learners[s], err = NewLearner(data[s], config, uint64(s))
		return numb{learners[s]}, err
	})
	start := NewModel(4, config).Decoder.Shared.Values
	for _, at := range []int{0, 6} { // from z to the unit
		if got := learners[0].shared[at]; got != start[at] {
			t.Errorf("weight %d goes from %g to %g without a gradient", at, start[at], got)
		}
	}
	if learners[0].shared[1] == start[1] {
		t.Error("nothing was learned")
	}
}

// A member that was away for some sums catches up to the same decoder as the others, in both
// ways of training.
func TestAMemberThatWasAwayHoldsTheSameDecoder(t *testing.T) {
	data := []Rows{patterns(30, 4, 0), patterns(20, 4, 1), patterns(40, 4, 2), patterns(10, 4, 3), patterns(25, 4, 4)}
	for _, steps := range []int{0, 3} {
		config := Config{Latent: 2, Hidden: []int{6}, LocalSteps: steps}
		learners, fewest := make([]*Learner, len(data)), 125
		overProtocol(t, 30, data, func(s int) (collabdict.Learner, error) {
			var err error
			learners[s], err = NewLearner(data[s], config, uint64(s))
			return watched{learners[s], func(rows int) {
				if s == 0 {
					fewest = min(fewest, rows)
				}
			}}, err
		}, netsim.Stop{Member: 1, Slot: 9, RestartAfter: time.Minute})
		for _, l := range learners {
			sameDecoder(t, l, learners[0])
			if l.round != 30 || l.limits.clip != learners[0].limits.clip {
				t.Errorf("%d local steps: a member has made %d rounds, and has a clip of %g", steps, l.round, l.limits.clip)
			}
		}
		if fewest != 105 {
			t.Errorf("%d local steps: sums are of at least %d rows, want 105 without the member that was away", steps, fewest)
		}
	}
}

// watched reports the rows of every total.
type watched struct {
	*Learner
	seen func(rows int)
}

func (w watched) Optimize(total []float64, included bool) (float64, error) {
	objective, err := w.Learner.Optimize(total, included)
	w.seen(w.TotalRows())
	return objective, err
}
