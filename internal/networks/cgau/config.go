package cgau

import "cmp"

// Config holds the settings that are the same at all members. The defaults of Hidden, Batch and
// Steps are those of Rieger et al. 2020. The default of Rate is theirs for images.
type Config struct {
	Inputs, Classes int
	Hidden          []int // units of each layer; nil means 64, 64
	// Plain uses rectified linear units in place of gated ones, without conditions.
	Plain bool
	// Dropout is the probability that an output of a hidden layer is 0 in training. The paper
	// uses 0.5.
	Dropout float64
	// Rate and Momentum are those of gradient descent on the mean loss of a batch. As in the
	// paper, each round starts without momentum. A Rate of 0 means 0.01.
	Rate     float64
	Momentum float64
	// ConditionRate is the learning rate of the conditions; 0 means Rate.
	ConditionRate float64
	Batch         int // rows per batch; 0 means 32
	// Steps is the number of steps per round at each member, or fewer if they cover all of its
	// rows; 0 means 10.
	Steps int
	// Seed determines the parameters with which training starts.
	Seed uint64
}

// Rows holds samples and the class of each.
type Rows struct {
	Values  []float32 // row after row
	Classes []int     // from 0
}

// Own holds what belongs to one member.
type Own struct {
	Rows
	// Held holds held-out rows, if any. Their loss, summed over all members, determines the
	// best round ([Learner.Best]).
	Held Rows
	// Seed determines the order of the rows and dropout. No other member may know it.
	Seed uint64
}

func (c Config) withDefaults() Config {
	if c.Hidden == nil {
		c.Hidden = []int{64, 64}
	}
	c.Batch, c.Steps, c.Rate = cmp.Or(c.Batch, 32), cmp.Or(c.Steps, 10), cmp.Or(c.Rate, 0.01)
	c.ConditionRate = cmp.Or(c.ConditionRate, c.Rate)
	return c
}
