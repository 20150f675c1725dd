package beta

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/networks/average"
	"github.com/collabdict/collabdict/vae"
)

// Round is the result of a round. It is the same at every member.
type Round struct {
	Number int // from 1
	// Loss is the weighted mean over members of their rows' loss during training.
	Loss float64
	// Weight is the total weight of the members in the sum. It is 1 unless members have come or
	// gone since the weights were set. If it is 0, no member in the sum had a weight, and the
	// parameters have not changed.
	Weight float64
}

// Round trains for the epochs of a round and takes the mean of the models of all members in the
// sum,
//
//	ω + Σ p_k (ω_k − ω) / Σ p_k,
//
// with [average.Mean]. Conditions are trained along with ω_k and never leave the member
// ([average.Column]).
func (l *Learner) Round(ctx context.Context, g collabdict.Group) (Round, error) {
	if every := l.config.Weights.Every; every > 0 && l.rounds > 0 && l.rounds%every == 0 {
		if err := l.weigh(ctx, g, l.model); err != nil {
			return Round{}, fmt.Errorf("weights: %w", err)
		}
	}
	r, err := l.round(ctx, g)
	if err != nil {
		return Round{}, err
	}
	l.rounds++
	r.Number = l.rounds
	return r, nil
}

// Digest implements [collabdict.Digester].
func (l *Learner) Digest() [32]byte { return vae.Digest(l.model.all.Values) }

func (l *Learner) round(ctx context.Context, g collabdict.Group) (Round, error) {
	total, err := l.column.Round(ctx, g, l.mean, l.train)
	if err != nil || total.Weight == 0 {
		return Round{}, err
	}
	return Round{Loss: total.Beside[0] / total.Weight, Weight: total.Weight}, nil
}

// train computes this member's part of a round. A member of weight 0 trains only conditions.
func (l *Learner) train(ctx context.Context) (average.Part, error) {
	m, p := l.model, l.standing.Weight.P
	var loss Loss
	if p > 0 || len(m.own.Values) > 0 {
		var err error
		if loss, err = m.train(ctx, l.own.Rows, m.config.Epochs, newDescent(m), l.source(ordering), l.source(noising)); err != nil {
			return average.Part{}, err
		}
	}
	return average.Part{Weight: p, Beside: []float64{p * loss.Total}}, nil
}
