package bench

import (
	"context"

	"github.com/collabdict/collabdict/consensus"
)

// Consensus says what sum to measure.
type Consensus struct {
	Nodes    int // members, each a node of its own in this process
	Values   int // of each member's vector
	Settings consensus.Settings
	Dir      string // an empty folder for what the nodes keep on disk
}

// ConsensusReport is what the command bench consensus prints. Names are a contract.
type ConsensusReport struct {
	Nodes      int    `json:"nodes"`
	Values     int    `json:"values"`
	Scheme     string `json:"scheme"`
	Plan       string `json:"plan"` // how a session runs
	Protection string `json:"protection"`
	Chunks     int    `json:"chunks,omitempty"` // of a vector, the one at home included
	// Mask is the rate at which a mask is expanded and added to a vector of the ring,
	// in 10^9 bytes of vector a second on one core.
	Mask        float64      `json:"mask_gb_per_second"`
	Arithmetics []Arithmetic `json:"arithmetics"`
	SumReport
}

// MeasureConsensus measures the arithmetic of vectors on one core, and one private
// sum over real nodes. A sum with a wrong total is an error.
func MeasureConsensus(ctx context.Context, c Consensus) (*ConsensusReport, error) {
	r := &ConsensusReport{Nodes: c.Nodes, Values: c.Values, Scheme: string(c.Settings.Scheme), Protection: string(c.Settings.Protect)}
	plan, err := consensus.NewPlans(c.Settings).For(c.Nodes)
	if err != nil {
		return nil, err
	}
	r.Plan = plan.Session(c.words()).Name()
	if plan.Fanout > 0 {
		r.Chunks = plan.Fanout + 1
	}
	if r.Arithmetics, err = measureArithmetics(ctx, c.Nodes, c.Values); err != nil {
		return nil, err
	}
	r.Mask = r.Arithmetics[0].Mask
	sum, err := measureSum(ctx, c, 8*plan.Sends(c.words()))
	if err != nil {
		return nil, err
	}
	r.SumReport = *sum
	return r, nil
}

// words returns the words of a vector in a session.
func (c Consensus) words() int {
	switch {
	case c.Settings.Scheme == consensus.Laplacian:
		return c.Values
	case c.Settings.Parity:
		return 2 * (c.Values + 1)
	}
	return c.Values + 1
}
