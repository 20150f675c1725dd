package bench

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/netsim"
)

// Scale describes the sums to measure in a simulation.
type Scale struct {
	Participants int
	Values       int // of a vector
	Sums         int // sums one after the other
	Settings     consensus.Settings
}

// ScaleReport is the mean cost of a sum per participant. Its names are a contract.
type ScaleReport struct {
	Participants int     `json:"participants"` // members
	Sums         int     `json:"sums"`         // sums computed
	Rounds       int     `json:"rounds"`       // steps of a session
	Messages     float64 `json:"messages"`     // messages per participant and sum
	Bytes        float64 `json:"bytes"`        // bytes of encoded messages per participant and sum
	// CPU is processor time per participant and sum, with the simulated network; 0 if unknown.
	CPU float64 `json:"cpu_ms"`
	// Memory is the largest growth of the heap per participant, including garbage.
	Memory  float64 `json:"memory_bytes"`
	Virtual float64 `json:"virtual_seconds"` // virtual time per sum with a latency of 1 ms
}

// MeasureScale measures sums in a simulation; apart from the network, all is real. It returns
// an error if a total is wrong.
func MeasureScale(ctx context.Context, c Scale) (*ScaleReport, error) {
	x := draw(c.Participants, c.Values)
	net, err := netsim.New(netsim.Config{Names: netsim.Names(c.Participants), Settings: c.Settings, Seed: 1})
	if err != nil {
		return nil, err
	}
	var total []float64 // total of the first participant
	heap, before := watchHeap(), ProcessTime()
	run, err := net.Run(ctx, func(ctx context.Context, rank int, g collabdict.Group) error {
		for range c.Sums {
			sum, err := g.Sum(ctx, collabdict.Summand{Values: x[rank], Blocks: []collabdict.Block{{Len: c.Values, Bound: 1}}})
			if err != nil {
				return err
			}
			if rank == 0 {
				total = sum
			}
		}
		return nil
	})
	taken, grown := ProcessTime()-before, heap.end()
	if err != nil {
		return nil, err
	}
	for i, m := range run.Members {
		if m.Digest != run.Members[0].Digest || len(m.Decisions) < c.Sums {
			return nil, fmt.Errorf("%s and %s have different totals", nameOf(0), nameOf(i))
		}
	}
	limit := Consensus{Nodes: c.Participants, Settings: c.Settings}.largestError()
	if _, err := check(x, [][]float64{total}, limit); err != nil {
		return nil, err
	}
	r := &ScaleReport{Participants: c.Participants, Sums: c.Sums, Rounds: run.Members[0].Rounds}
	r.enter(run, taken.Seconds(), grown)
	return r, nil
}

// enter computes the means. They leave out the nonce of a small group.
func (r *ScaleReport) enter(run *netsim.Report, cpu, grown float64) {
	size := float64(r.Participants)
	each := size * float64(r.Sums)
	for _, m := range run.Members {
		r.Messages += float64(m.Messages) / each
		r.Bytes += float64(m.Bytes) / each
	}
	r.Virtual = run.Slots[len(run.Slots)-1].At.Seconds()
	for i, s := range run.Slots {
		if s.Decision.Kind == consensus.Gather {
			r.Messages -= float64(s.Messages) / each
			r.Bytes -= float64(s.Bytes) / each
			r.Virtual = (run.Slots[len(run.Slots)-1].At - run.Slots[i].At).Seconds()
		}
	}
	r.Virtual /= float64(r.Sums)
	r.CPU = 1000 * cpu / each
	r.Memory = grown / size
}
