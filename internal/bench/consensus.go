package bench

import (
	"context"

	"github.com/collabdict/collabdict/consensus"
)

// Consensus describes the sum to measure.
type Consensus struct {
	Nodes    int // number of members, each a node in this process
	Values   int // length of each member's vector
	Settings consensus.Settings
	Dir      string // empty folder for the nodes' files
}

// ConsensusReport is the output of the command bench consensus. Its names are a contract.
type ConsensusReport struct {
	Nodes      int    `json:"nodes"`            // nodes
	Values     int    `json:"values"`           // values per vector
	Scheme     string `json:"scheme"`           // laplacian, exact or base-k
	Plan       string `json:"plan"`             // plan of a session
	Protection string `json:"protection"`       // chunks, shamir, sessions or none
	Chunks     int    `json:"chunks,omitempty"` // chunks per vector, including the one that stays with its owner
	// Mask is the rate of expanding a mask and adding it to a vector of the ring, in 10^9 bytes
	// of vector per second on one core.
	Mask        float64      `json:"mask_gb_per_second"`
	Arithmetics []Arithmetic `json:"arithmetics"` // rates of each arithmetic
	SumReport
}

// MeasureConsensus measures the arithmetic of vectors on one core, and one private sum over
// real nodes. It returns an error if a total is wrong.
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

// words returns the number of words of a vector in a session.
func (c Consensus) words() int {
	switch {
	case c.Settings.Scheme == consensus.Laplacian:
		return c.Values
	case c.Settings.Parity:
		return 2 * (c.Values + 1)
	}
	return c.Values + 1
}
