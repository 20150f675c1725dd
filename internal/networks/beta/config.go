package beta

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/collabdict/collabdict/internal/networks/discrepancy"
)

// Config holds the settings that are the same at all members. A number of 0 means the default,
// from Page 2024.
type Config struct {
	Inputs int   // values per row
	Hidden []int // units of the encoder's hidden layers, in reverse those of the decoder; nil means 512, 256
	// Condition determines how hidden layers of the encoder and the decoder adapt to the
	// member.
	Condition Condition
	Latent    int // latent variables; 0 means 2
	// Beta is the factor of the divergence in the loss; 0 means 10.
	Beta   float64
	Rate   float64 // learning rate of Adam; 0 means 0.001
	Batch  int     // rows per batch; 0 means 64
	Epochs int     // epochs per round at each member; 0 means 10
	// Seed determines the parameters with which training starts.
	Seed    uint64
	Weights Weighting
}

// Condition is a way in which a model adapts to each member.
type Condition int

// Conditions.
const (
	Unconditioned Condition = iota // no adaptation: rectified linear units
	CGAU                           // gated units with conditions, see package average
)

// Measure measures how much a member's data differ from all others'.
type Measure int

// Measures.
const (
	None   Measure = iota // no discrepancy: with the zero Rule, FedAvg
	Latent                // discrepancy between encoded rows and the prior, [discrepancy.Latent]
	Labels                // discrepancy between labels and equal frequencies, [discrepancy.Labels]
)

// Weighting determines the weight of a member's model in the mean. The zero value is FedAvg.
type Weighting struct {
	Rule discrepancy.Rule
	By   Measure
	// Debias applies to Latent; see [discrepancy.Latent].
	Debias bool
	// Pretrained holds, for Latent, the parameters of a model that encodes rows before the
	// first round. With CGAU, [Own] has its conditions.
	Pretrained []float32
	// Every, for Latent, is the number of rounds after which the current model determines the
	// weights again; 0 means never. Without Pretrained, weights are shares of the rows until
	// then, because a model that has learned nothing cannot tell members apart.
	Every int
	// Publish shows every member's discrepancy and weight to all members.
	Publish bool
}

// Own holds what belongs to one member.
type Own struct {
	Rows []float32 // row after row
	// Labels holds the number of rows of each class, for the measure Labels.
	Labels []int
	// Pretrained holds, with CGAU, the member's conditions of the pretrained model; nil means
	// 0.
	Pretrained []float32
	// Seed determines the order of the rows and the noise. No other member may know it.
	Seed uint64
}

func (c Config) withDefaults() Config {
	if c.Hidden == nil {
		c.Hidden = []int{512, 256}
	}
	c.Latent, c.Batch, c.Epochs = cmp.Or(c.Latent, 2), cmp.Or(c.Batch, 64), cmp.Or(c.Epochs, 10)
	c.Beta, c.Rate = cmp.Or(c.Beta, 10), cmp.Or(c.Rate, 1e-3)
	return c
}

// Validate returns an error for the first setting that is out of range.
func (c Config) Validate() error {
	d := c.withDefaults()
	for _, s := range []struct {
		name string
		got  int
	}{{"inputs", d.Inputs}, {"latent variables", d.Latent}, {"rows per batch", d.Batch}, {"epochs", d.Epochs}} {
		if s.got < 1 {
			return fmt.Errorf("beta: want %s of at least 1, got %d", s.name, s.got)
		}
	}
	for i, n := range d.Hidden {
		if n < 1 {
			return fmt.Errorf("beta: hidden layer %d: want at least 1 unit, got %d", i+1, n)
		}
	}
	switch {
	case d.Condition < Unconditioned || d.Condition > CGAU:
		return fmt.Errorf("beta: want conditions of kind %d or %d, got %d", Unconditioned, CGAU, d.Condition)
	case d.Condition == CGAU && len(d.Hidden) == 0:
		return fmt.Errorf("beta: want at least one hidden layer to condition, got none")
	case !(d.Beta > 0) || math.IsInf(d.Beta, 1):
		return fmt.Errorf("beta: want a factor above 0 for the divergence, got %g", d.Beta)
	case !(d.Rate > 0) || math.IsInf(d.Rate, 1):
		return fmt.Errorf("beta: want a learning rate above 0, got %g", d.Rate)
	}
	return d.Weights.check(d)
}

func (w Weighting) check(c Config) error {
	switch {
	case w.By < None || w.By > Labels:
		return fmt.Errorf("beta: want a measure of discrepancy from %d to %d, got %d", None, Labels, w.By)
	case w.By == None && w.Rule.A != 0:
		return fmt.Errorf("beta: want a measure of discrepancy for weights with a = %g, got none", w.Rule.A)
	case w.Every < 0:
		return fmt.Errorf("beta: want weights every 0 or more rounds, got %d", w.Every)
	case w.By != Latent && (w.Every > 0 || w.Pretrained != nil || w.Debias):
		return fmt.Errorf("beta: every, pretrained and debias apply only to weights by encoded rows: leave them out, or choose these weights")
	case w.By == Latent && w.Every == 0 && w.Pretrained == nil:
		return fmt.Errorf("beta: weights by encoded rows: want a pretrained model, or a number of rounds after which to compute weights, got neither")
	}
	if want, _ := c.parameters(); w.Pretrained != nil && len(w.Pretrained) != want {
		return fmt.Errorf("beta: want %d parameters of a pretrained model of this shape, got %d", want, len(w.Pretrained))
	}
	return nil
}

// parameters returns the number of weights and biases of such a model, and its number of
// conditions.
func (c Config) parameters() (shared, own int) {
	sums := 1 // weight columns per hidden unit
	if c.Condition == CGAU {
		sums = 2
	}
	layers := func(in int, hidden []int, out int) {
		for _, units := range hidden {
			shared += (in + 1) * sums * units
			own += (sums - 1) * 2 * units
			in = units
		}
		shared += (in + 1) * out
	}
	up := slices.Clone(c.Hidden)
	slices.Reverse(up)
	layers(c.Inputs, c.Hidden, 2*c.Latent)
	layers(c.Latent, up, c.Inputs)
	return shared, own
}

func (o Own) check(c Config) error {
	if err := checkRows(o.Rows, c.Inputs); err != nil {
		return err
	}
	if _, want := c.parameters(); o.Pretrained != nil && (c.Weights.Pretrained == nil || len(o.Pretrained) != want) {
		return fmt.Errorf("beta: want %d conditions along with the pretrained model, got %d", want, len(o.Pretrained))
	}
	if c.Weights.By != Labels {
		return nil
	}
	if _, err := discrepancy.Labels(o.Labels); err != nil {
		return fmt.Errorf("beta: %w", err)
	}
	return nil
}

func checkRows(x []float32, columns int) error {
	if len(x) == 0 || len(x)%columns != 0 {
		return fmt.Errorf("beta: want at least one row of %d values, got %d values", columns, len(x))
	}
	for i, v := range x {
		if v-v != 0 {
			return fmt.Errorf("beta: row %d, value %d: want a finite number, got %g", i/columns+1, i%columns+1, v)
		}
	}
	return nil
}
