package cgau

import (
	"cmp"
	"fmt"
	"math"
)

// Config is the same at all members. Where Hidden, Batch, Steps and Rate are not given,
// they are those of Rieger et al. 2020, Rate that of their images.
type Config struct {
	Inputs, Classes int
	Hidden          []int // units of each layer; nil is 64, 64
	// Plain has rectified linear units in place of gated ones, and no conditions.
	Plain bool
	// Dropout is the probability that an output of a hidden layer is 0 in training; 0.5 in
	// the paper.
	Dropout float64
	// Rate and Momentum are of gradient descent on the mean loss of a batch. The momentum is
	// forgotten after each round, as in the paper.
	Rate     float64 // 0 is 0.01
	Momentum float64
	// ConditionRate is that of the conditions; 0 is Rate.
	ConditionRate float64
	Batch         int // rows; 0 is 32
	// Steps are those of a round at each member, or fewer that see all of its rows; 0 is 10.
	Steps int
	// Seed is of the parameters that training begins with.
	Seed uint64
}

// Rows are samples with the class of each.
type Rows struct {
	Values  []float32 // row after row
	Classes []int     // from 0
}

// Own is what a member has.
type Own struct {
	Rows
	// Held are rows that are not trained on. By their loss, summed over all members, the
	// best round is found ([Learner.Best]). They may be none.
	Held Rows
	// Seed is of the order of the rows and of dropout; no other member may know it.
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

// Validate reports the first setting that cannot be.
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

// check reports the first thing that is wrong with rows, of which there may be none.
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
