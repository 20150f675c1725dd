package multitask

import "cmp"

// Config holds the settings of a [Learner]. All members must use the same values. A value of 0
// means the default given below.
type Config struct {
	// Latent is d, the number of dimensions of z, at least 1.
	Latent int
	// Hidden has the units of the decoder's hidden layers, from z on; the encoder has them in
	// reverse. They are rectified, Eq. (23). Without hidden layers both networks are affine.
	Hidden []int

	// LocalSteps is E, the number of decoder steps that each member makes between two sums.
	// With 0 the gradients of every step are summed.
	LocalSteps int
	// Batch is the number of rows that a participant uses per step, or all if it has fewer;
	// default 64.
	Batch int
	// Rate is the learning rate of Adam for encoder and decoder; default 0.001.
	Rate float64

	// KLWeight is the weight in the encoder's loss of the divergence of q(z|x) from the prior;
	// default 1, as in Eq. (30).
	KLWeight float64
	// WarmUp is the number of rounds over which this weight grows linearly from 0.
	WarmUp int
	// FreeBits is the mean divergence of each latent dimension, in nats, that costs nothing.
	FreeBits float64
	// Aggressive is the maximum number of encoder steps per decoder step while the encoder lags
	// behind (He et al. 2019); 0 always makes one.
	Aggressive int

	// Seed is public. It draws the weights with which all members start.
	Seed uint64
}

func (c Config) withDefaults() Config {
	c.Batch, c.Rate, c.KLWeight = cmp.Or(c.Batch, 64), cmp.Or(c.Rate, 1e-3), cmp.Or(c.KLWeight, 1)
	return c
}

// klWeight returns the weight of the divergence in a round, counted from 0.
func (c Config) klWeight(round int) float64 {
	if round >= c.WarmUp {
		return c.KLWeight
	}
	return c.KLWeight * float64(round) / float64(c.WarmUp)
}
