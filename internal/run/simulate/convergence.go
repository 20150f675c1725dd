package simulate

import (
	"slices"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/run/topology"
	"github.com/collabdict/collabdict/netsim"
)

// inputs holds the vectors that members start a Laplacian session with, in the last sum of a
// round. If a sum has several lanes, it holds those of the first. Sessions are pure, so this
// one can be run again after the simulation.
type inputs struct {
	begun   map[beginning][]uint64
	last    *consensus.Decision
	vectors [][]uint64 // vectors of slot last, by place in its view
}

// beginning is a member's first frame in an attempt.
type beginning struct {
	slot    uint64
	attempt uint32
	member  uint32
}

func newInputs() *inputs { return &inputs{begun: map[beginning][]uint64{}} }

// Called implements [netsim.Observer].
func (in *inputs) Called(int, uint64, consensus.Call) {}

// Sent implements [netsim.Observer].
func (in *inputs) Sent(from, _ int, m consensus.Message) {
	step, is := m.Body.(*consensus.Step)
	if !is || step.Lane > 0 || step.Round > 0 || step.Part > 0 || in.last != nil && m.Slot <= in.last.Slot {
		return
	}
	b := beginning{m.Slot, m.Ballot, uint32(from)}
	if _, known := in.begun[b]; !known {
		in.begun[b] = step.Words
	}
}

// Decided implements [netsim.Observer].
func (in *inputs) Decided(_ int, d *consensus.Decision, _ []float64) {
	if in.last != nil && d.Slot <= in.last.Slot {
		return
	}
	if d.Kind == consensus.Sum && d.Round > 0 {
		in.last, in.vectors = d, nil
		for _, m := range d.Members {
			in.vectors = append(in.vectors, in.begun[beginning{d.Slot, d.Attempt, m}])
		}
	}
	for b := range in.begun {
		if b.slot <= d.Slot {
			delete(in.begun, b)
		}
	}
}

// convergence runs the session of the last sum again. It returns nil if there is none, or if a
// member sent a frame that no session accepts.
func (in *inputs) convergence(s consensus.Settings, seed uint64, slots []netsim.Slot) *report.Convergence {
	d := in.last
	if d == nil || d.Slot == 0 {
		return nil
	}
	members := make([]int, len(d.Members))
	for i, m := range d.Members {
		members[i] = int(m)
		if len(in.vectors[i]) == 0 || len(in.vectors[i]) != len(in.vectors[0]) {
			return nil
		}
	}
	plan, err := consensus.NewPlans(s).For(len(members))
	if err != nil || plan.Laplacian == nil {
		return nil
	}
	seats := consensus.Labels(netsim.RunID(seed), slots[d.Slot-1].Decision.Chain, d.Slot, d.Attempt, 0, members)
	for v, m := range seats {
		seats[v], _ = slices.BinarySearch(members, m)
	}
	p := plan.Laplacian
	course, err := topology.Converge(p, seats, in.vectors)
	if err != nil || course[0] == 0 {
		return nil
	}
	c := &report.Convergence{Round: int(d.Round), Members: len(members), Step: string(s.Step), Graph: string(p.Graph().Kind)}
	for t, x := range course {
		c.Measured = append(c.Measured, x/course[0])
		c.Predicted = append(c.Predicted, p.LeftAfter(t))
	}
	return c
}
