package multitask

import (
	"math"
	"math/rand/v2"
)

// gradient returns the derivatives of minus the mean lower bound by the decoder's weights. If
// one exceeds the clip, all are scaled down together.
func (l *Learner) gradient(src rand.Source) (x []float64, elbo float64, err error) {
	elbo, err = l.decoderPass(src)
	if err != nil {
		return nil, 0, err
	}
	g := l.model.Decoder.Shared.Gradient
	x = make([]float64, len(g), len(g)+2)
	most := 0.0
	for i, v := range g {
		x[i] = float64(v)
		most = math.Max(most, math.Abs(x[i]))
	}
	l.scaled = 1
	if clip := l.limits.clip; most > clip {
		l.scaled = clip / most
		for i := range x {
			x[i] = max(-clip, min(x[i]*l.scaled, clip))
		}
	}
	return x, elbo, nil
}

// ownSteps makes E steps of encoder and decoder, and returns the change of the decoder. Each
// round starts with a new optimiser for the decoder.
func (l *Learner) ownSteps(src rand.Source) (x []float64, elbo float64, err error) {
	l.decoder.Reset()
	decoder := l.model.Decoder.Shared
	for range l.config.LocalSteps {
		v, err := l.decoderPass(src)
		if err != nil {
			return nil, 0, err
		}
		l.decoder.Step(decoder.Values, decoder.Gradient)
		elbo += v / float64(l.config.LocalSteps)
	}
	x = make([]float64, len(l.shared), len(l.shared)+2)
	for i, v := range decoder.Values {
		x[i] = float64(v) - float64(l.shared[i])
	}
	return x, elbo, nil
}

// decoderPass makes the encoder's steps, computes the decoder's gradient for the new encoder,
// and returns the lower bound there.
func (l *Learner) decoderPass(src rand.Source) (elbo float64, err error) {
	if err := l.encode(src); err != nil {
		return 0, err
	}
	x := l.draw(src)
	v, err := l.pass.forward(x, src)
	if err != nil {
		return 0, err
	}
	l.pass.decoderGradient()
	elbo = v.elbo()
	return elbo, l.caughtUp(len(x) / l.columns)
}

// Scaled returns the factor by which the last LocalUpdate scaled its gradient to stay within
// the agreed bound, 1 if that was not needed.
func (l *Learner) Scaled() float64 { return l.scaled }
