package cgau

import (
	"cmp"
	"fmt"
	"math"
)

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

// Validate returns an error for the first setting that is out of range.
func (c Config) Validate() error {
	d := c.withDefaults()
	for _, s := range []struct {
		name       string
		got, least int
	}{{"inputs", d.Inputs, 1}, {"classes", d.Classes, 2}, {"rows per batch", d.Batch, 1}, {"steps per round", d.Steps, 1}} {
		if s.got < s.least {
			return fmt.Errorf("cgau: want %s of at least %d, got %d", s.name, s.least, s.got)
		}
	}
	for i, n := range d.Hidden {
		if n < 1 {
			return fmt.Errorf("cgau: hidden layer %d: want at least 1 unit, got %d", i+1, n)
		}
	}
	switch {
	case !(d.Dropout >= 0 && float32(d.Dropout) < 1):
		return fmt.Errorf("cgau: want dropout from 0 to below 1, got %g", d.Dropout)
	case !(d.Rate > 0) || math.IsInf(d.Rate, 1):
		return fmt.Errorf("cgau: want a learning rate above 0, got %g", d.Rate)
	case !(d.ConditionRate > 0) || math.IsInf(d.ConditionRate, 1):
		return fmt.Errorf("cgau: want a learning rate of conditions above 0, got %g", d.ConditionRate)
	case !(d.Momentum >= 0 && d.Momentum < 1):
		return fmt.Errorf("cgau: want a momentum from 0 to below 1, got %g", d.Momentum)
	}
	return nil
}

// check returns an error for the first thing wrong with the rows. There may be no rows.
func (r Rows) check(c Config) error {
	if len(r.Values) != len(r.Classes)*c.Inputs {
		return fmt.Errorf("cgau: want rows of %d values with a class each, got %d values and %d classes", c.Inputs, len(r.Values), len(r.Classes))
	}
	for i, v := range r.Values {
		if v-v != 0 {
			return fmt.Errorf("cgau: row %d, value %d: want a finite number, got %g", i/c.Inputs+1, i%c.Inputs+1, v)
		}
	}
	for i, class := range r.Classes {
		if class < 0 || class >= c.Classes {
			return fmt.Errorf("cgau: row %d: want a class from 0 to %d, got %d", i+1, c.Classes-1, class)
		}
	}
	return nil
}
