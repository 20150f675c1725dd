package multitask

import (
	"fmt"
	"math"
)

// Config steers a [Learner]. All members must use the same values. Those of 0 stand for
// the default that is given.
type Config struct {
	// Latent is d, the dimensions of z, at least 1.
	Latent int
	// Hidden has the units of the decoder's hidden layers, from z on; the encoder has them
	// in the other order. They are rectified, Eq. (23). Without any both are affine.
	Hidden []int

	// LocalSteps is E, the steps that each member makes with the decoder between two sums.
	// 0 means that the gradients of every step are summed.
	LocalSteps int
	// Batch is the rows of a participant in a step, all if it has no more; 64.
	Batch int
	// Rate is that of Adam, of encoder and decoder; 0.001.
	Rate float64

	// KLWeight is what the divergence of q(z|x) from the prior counts in the encoder's
	// loss; 1, as in Eq. (30).
	KLWeight float64
	// WarmUp is the rounds in which this weight grows evenly from 0.
	WarmUp int
	// FreeBits is the mean divergence of each latent dimension, in nats, up to which it
	// costs nothing.
	FreeBits float64
	// Aggressive is the largest number of encoder steps for each step of the decoder as
	// long as the encoder lags behind (He et al. 2019); 0 means one always.
	Aggressive int

	// Seed is public: it draws the weights that all start with.
	Seed uint64
}

const (
	defaultBatch = 64
	defaultRate  = 1e-3
)

// Validate reports the first field that is out of range.
func (c Config) Validate() error {
	for _, f := range []struct {
		name  string
		value int
		least int
	}{
		{"latent", c.Latent, 1},
		{"local steps", c.LocalSteps, 0},
		{"batch", c.Batch, 0},
		{"warm-up", c.WarmUp, 0},
		{"aggressive", c.Aggressive, 0},
	} {
		if f.value < f.least {
			return fmt.Errorf("%s: want at least %d, got %d", f.name, f.least, f.value)
		}
	}
	for i, units := range c.Hidden {
		if units < 1 {
			return fmt.Errorf("hidden: want at least 1 unit in layer %d, got %d", i+1, units)
		}
	}
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"rate", c.Rate},
		{"KL weight", c.KLWeight},
		{"free bits", c.FreeBits},
	} {
		if !(f.value >= 0) || f.value > math.MaxFloat32 {
			return fmt.Errorf("%s: want a finite value of at least 0, got %g", f.name, f.value)
		}
	}
	return nil
}

func (c Config) withDefaults() Config {
	if c.Batch == 0 {
		c.Batch = defaultBatch
	}
	if c.Rate == 0 {
		c.Rate = defaultRate
	}
	if c.KLWeight == 0 {
		c.KLWeight = 1
	}
	return c
}

// klWeight returns that of a round, from 0.
func (c Config) klWeight(round int) float64 {
	if round >= c.WarmUp {
		return c.KLWeight
	}
	return c.KLWeight * float64(round) / float64(c.WarmUp)
}
