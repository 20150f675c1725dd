package multitask

import (
	"math"
	"math/rand/v2"
)

// gradient returns the derivatives of the mean lower bound by the decoder's weights, with
// the signs of a loss, scaled down as a whole if one is above the clip.
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

// ownSteps makes E steps of encoder and decoder and returns how they have changed the
// decoder. Each round begins with a new optimiser of it.
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

// decoderPass makes the encoder's steps and leaves the decoder's gradient at the new
// encoder. It returns the lower bound there.
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

// Scaled returns what the gradient of the last LocalUpdate was multiplied by to keep to
// the bound that all have agreed on: 1 if nothing was needed.
func (l *Learner) Scaled() float64 { return l.scaled }
