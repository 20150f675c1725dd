package beta

import (
	"cmp"

	"github.com/collabdict/collabdict/internal/networks/discrepancy"
)

// Config holds the settings that are the same at all members. A number of 0 means the default,
// from Page 2024.
type Config struct {
	Inputs int   // values per row
	Hidden []int // units of the encoder's hidden layers, in reverse those of the decoder; nil means 512, 256
	// Conditioned gives hidden layers of the encoder and the decoder gated units, which adapt to the
	// member by its conditions; see package average. Otherwise, units are rectified.
	Conditioned bool
	Latent      int // latent variables; 0 means 2
	// Beta is the factor of the divergence in the loss; 0 means 10.
	Beta   float64
	Rate   float64 // learning rate of Adam; 0 means 0.001
	Batch  int     // rows per batch; 0 means 64
	Epochs int     // epochs per round at each member; 0 means 10
	// Seed determines the parameters with which training starts.
	Seed    uint64
	Weights Weighting
}

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
	// first round. If conditioned, [Own] has its conditions.
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
	// Pretrained holds, if conditioned, the member's conditions of the pretrained model; nil means
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
