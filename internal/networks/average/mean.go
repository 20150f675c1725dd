package average

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/vae"
)

// A Mean averages one vector of parameters in a group, round by round.
type Mean struct {
	// Shared reports whether training changes nothing except the parameters. A restarted member
	// can then replay decided rounds from their totals, without training.
	Shared bool

	all    *vae.Parameters
	before []float32 // parameters before training
	vector []float64 // weighted changes, values beside them, weight
	most   float64
}

// A Part is a member's contribution apart from its changes.
type Part struct {
	Weight float64 // at least 0
	Beside []float64
}

// A Total is the sum of all parts. It is the same at every member, except for Own.
type Total struct {
	Weight float64 // 0 if no member with a weight took part; nothing has changed then
	Beside []float64
	// Own reports whether this member's part is in the total.
	Own bool
}

// leastWeight exceeds the rounding error of a weight of 0.
const leastWeight = 0x1p-20

// New returns the mean of these parameters, with sums of the given number of values beside
// them. most bounds the weights; if it is 0, members agree on a bound.
func New(all *vae.Parameters, beside int, most float64) *Mean {
	n := len(all.Values)
	return &Mean{all: all, before: make([]float32, n), vector: make([]float64, n+beside+1), most: most}
}

// bounded returns the number of bounds that members agree on.
func (m *Mean) bounded() int {
	n := len(m.all.Shapes) + len(m.vector) - len(m.before)
	if m.most > 0 {
		n--
	}
	return n
}

// Before returns the parameters before the last round.
func (m *Mean) Before() []float32 { return m.before }

// Round calls train, which changes the parameters in place, and sets them to
//
//	ω + Σ w_k (ω_k − ω) / Σ w_k,
//
// over the members k that are in the sum. Round does not call train if the round has begun
// without this member, or if Shared is set and the round is over. Changes are summed rather than
// parameters, as they are smaller. For the changes of each matrix, and for each value beside
// them, members agree on the next power of two as the bound. So none is clipped, and none is far
// below its bound.
func (m *Mean) Round(ctx context.Context, g collabdict.Group, train func(ctx context.Context) (Part, error)) (Total, error) {
	copy(m.before, m.all.Values)
	counts, own, known := m.known(g)
	if known {
		if want := powers * m.bounded(); len(counts) != want {
			return Total{}, fmt.Errorf("want a sum of %d counts, got %d: all members must have the same settings", want, len(counts))
		}
		if total, in, ok := m.known(g); ok {
			t, err := m.apply(total)
			t.Own = own && in
			return t, err
		}
		if !own {
			clear(m.vector)
			return m.sum(ctx, g, highest(counts))
		}
	}
	part, err := train(ctx)
	if err != nil {
		return Total{}, err
	}
	m.contribute(part)
	if known {
		return m.included(ctx, g, highest(counts))
	}
	agreed, err := Bounds(ctx, g, boundsEntry, m.largest())
	if err != nil {
		return Total{}, fmt.Errorf("bounds of the changes: %w", err)
	}
	if !g.Membership().Included {
		clear(m.vector) // which may be above bounds that were agreed on without it
		return m.sum(ctx, g, agreed)
	}
	return m.included(ctx, g, agreed)
}

// included is the sum of a round whose bounds this member's part is within.
func (m *Mean) included(ctx context.Context, g collabdict.Group, agreed []float64) (Total, error) {
	t, err := m.sum(ctx, g, agreed)
	t.Own = g.Membership().Included
	return t, err
}

// known returns the next total, and whether this member has a part in it. ok is false unless the
// total is decided and needs no training. It needs none if this member has no part in it, or if
// training changes nothing except the parameters.
func (m *Mean) known(g collabdict.Group) (total []float64, own, ok bool) {
	if m.Shared {
		total, ok = g.TakeDecided()
		return total, ok && g.Membership().Included, ok
	}
	total, ok = g.TakeMissed()
	return total, false, ok
}

func (m *Mean) contribute(p Part) {
	n := len(m.before)
	if !(p.Weight >= 0) || len(p.Beside) != len(m.vector)-n-1 {
		panic(fmt.Sprintf("average: want a weight of at least 0 and %d values, got %g and %d", len(m.vector)-n-1, p.Weight, len(p.Beside)))
	}
	for i, v := range m.all.Values {
		m.vector[i] = p.Weight * (float64(v) - float64(m.before[i]))
	}
	copy(m.vector[n:], p.Beside)
	m.vector[len(m.vector)-1] = p.Weight
}

// largest returns the largest change of each matrix, and what is beside them.
func (m *Mean) largest() (largest []float64) {
	at := 0
	for _, s := range m.all.Shapes {
		most := 0.0
		for _, v := range m.vector[at : at+s.Size()] {
			most = max(most, math.Abs(v)) // NaN if a change is NaN
		}
		largest = append(largest, most)
		at += s.Size()
	}
	return append(largest, m.vector[at:]...)[:m.bounded()]
}

func (m *Mean) sum(ctx context.Context, g collabdict.Group, agreed []float64) (Total, error) {
	var blocks []collabdict.Block
	for i, bound := range agreed {
		size, moment := 1, collabdict.NoMoment
		if i < len(m.all.Shapes) {
			size, moment = m.all.Shapes[i].Size(), collabdict.Updates
		}
		if m.most == 0 && i == len(agreed)-1 {
			moment = collabdict.Counts // weights are numbers of rows
		}
		blocks = columnstats.AppendMoment(blocks, moment, size, bound)
	}
	if m.most > 0 {
		blocks = columnstats.AppendBlock(blocks, 1, m.most)
	}
	total, err := g.Sum(ctx, collabdict.Summand{Entry: updatesEntry, Values: m.vector, Blocks: blocks})
	if err != nil {
		return Total{}, fmt.Errorf("sum of the changes: %w", err)
	}
	return m.apply(total)
}

// apply sets the parameters to those before the round plus the mean change.
func (m *Mean) apply(total []float64) (Total, error) {
	if len(total) != len(m.vector) {
		return Total{}, fmt.Errorf("want a sum of %d values, got %d: all members must have the same settings", len(m.vector), len(total))
	}
	n, last := len(m.before), len(total)-1
	weight := total[last]
	if weight < leastWeight {
		copy(m.all.Values, m.before)
		return Total{Beside: make([]float64, last-n)}, nil
	}
	for i, v := range m.before {
		m.all.Values[i] = float32(float64(v) + total[i]/weight)
	}
	return Total{Weight: weight, Beside: total[n:last]}, nil
}
