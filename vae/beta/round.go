package beta

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/bounds"
)

// Round is what is known at the end of one. It is the same at every member.
type Round struct {
	Number int // from 1
	// Loss is the mean over members, by weight, of the loss that their rows had while they
	// trained on them.
	Loss float64
	// Weight is that of the members in the sum together. It is 1 but where members have
	// come or gone since they were weighted. Where it is 0, nobody who was there has a
	// weight, and the parameters are as before.
	Weight float64
}

// leastWeight is above what rounding makes of a sum of weights that are 0.
const leastWeight = 0x1p-20

// Round trains for the epochs of a round and takes the mean of all members' models,
//
//	ω + Σ p_k (ω_k − ω) / Σ p_k,
//
// of those that are in the sum. Summed are changes rather than parameters, as they are
// smaller: bounds are agreed for each matrix, and the next power of two, so that
// no change is clipped, and none is far below its bound.
func (l *Learner) Round(ctx context.Context, g collabdict.Group) (Round, error) {
	if s, ok := g.(collabdict.RoundStarter); ok {
		s.StartRound(l.rounds + 1)
	}
	if every := l.config.Weights.Every; every > 0 && l.rounds > 0 && l.rounds%every == 0 {
		if err := l.weigh(ctx, g, l.model); err != nil {
			return Round{}, fmt.Errorf("beta: round %d: weights: %w", l.rounds+1, err)
		}
	}
	r, err := l.round(ctx, g)
	if err != nil {
		return Round{}, fmt.Errorf("beta: round %d: %w", l.rounds+1, err)
	}
	l.rounds++
	r.Number = l.rounds
	return r, nil
}

func (l *Learner) round(ctx context.Context, g collabdict.Group) (Round, error) {
	copy(l.before, l.model.all.Values)
	absentee, may := g.(collabdict.Absentee)
	if may {
		if counts, ok := absentee.Missed(); ok {
			return l.without(ctx, g, absentee, counts)
		}
	}
	if err := l.contribute(ctx); err != nil {
		return Round{}, err
	}
	agreed, err := agreeBounds(ctx, g, l.largest())
	if err != nil {
		return Round{}, fmt.Errorf("bounds of the changes: %w", err)
	}
	return l.sum(ctx, g, agreed)
}

// without is a round whose bounds were agreed on before this member was there, so that it
// has no part in it.
func (l *Learner) without(ctx context.Context, g collabdict.Group, a collabdict.Absentee, counts []float64) (Round, error) {
	if want := powers * (len(l.model.all.Shapes) + 1); len(counts) != want {
		return Round{}, fmt.Errorf("want a sum of %d counts, got %d: all members must have the same settings", want, len(counts))
	}
	if total, ok := a.Missed(); ok {
		return l.apply(total)
	}
	clear(l.vector)
	return l.sum(ctx, g, highest(counts))
}

func (l *Learner) sum(ctx context.Context, g collabdict.Group, agreed []float64) (Round, error) {
	var blocks []collabdict.Block
	for i, s := range l.model.all.Shapes {
		blocks = bounds.Append(blocks, s.Size(), agreed[i])
	}
	blocks = bounds.Append(bounds.Append(blocks, 1, agreed[len(agreed)-1]), 1, 1)
	total, err := g.Sum(ctx, l.vector, blocks)
	if err != nil {
		return Round{}, fmt.Errorf("sum of the changes: %w", err)
	}
	return l.apply(total)
}

// contribute trains, and makes this member's vector of it: p·(ω_k − ω), p times its
// loss, and p.
func (l *Learner) contribute(ctx context.Context) error {
	p := l.standing.Weight.P
	var loss Loss
	if p > 0 {
		var err error
		if loss, err = l.model.train(ctx, l.own.Rows, l.adam, l.source(ordering), l.source(noising)); err != nil {
			return err
		}
	}
	n := len(l.before)
	for i, v := range l.model.all.Values {
		l.vector[i] = p * (float64(v) - float64(l.before[i]))
	}
	l.vector[n], l.vector[n+1] = p*loss.Total, p
	return nil
}

// largest returns the largest change of each matrix, and the loss.
func (l *Learner) largest() (largest []float64) {
	at := 0
	for _, s := range l.model.all.Shapes {
		most := 0.0
		for _, v := range l.vector[at : at+s.Size()] {
			most = max(most, math.Abs(v)) // NaN if one is
		}
		largest = append(largest, most)
		at += s.Size()
	}
	return append(largest, l.vector[at])
}

// apply sets the parameters to those before, and the mean change.
func (l *Learner) apply(total []float64) (Round, error) {
	n := len(l.before)
	if len(total) != n+2 {
		return Round{}, fmt.Errorf("want a sum of %d values, got %d: all members must have the same settings", n+2, len(total))
	}
	weight := total[n+1]
	if weight < leastWeight {
		copy(l.model.all.Values, l.before)
		return Round{}, nil
	}
	for i, v := range l.before {
		l.model.all.Values[i] = float32(float64(v) + total[i]/weight)
	}
	return Round{Loss: total[n] / weight, Weight: weight}, nil
}
