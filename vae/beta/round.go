package beta

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/average"
	"github.com/collabdict/collabdict/vae/nn"
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

// Round trains for the epochs of a round and takes the mean of all members' models,
//
//	ω + Σ p_k (ω_k − ω) / Σ p_k,
//
// of those that are in the sum: [average.Mean]. Conditions are trained
// along with ω_k, and stay where they are (package conditioning).
func (l *Learner) Round(ctx context.Context, g collabdict.Group) (Round, error) {
	collabdict.StartRound(g, l.rounds+1, l)
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

// Digest implements [collabdict.Digester].
func (l *Learner) Digest() [32]byte { return nn.Digest(l.model.all.Values) }

func (l *Learner) round(ctx context.Context, g collabdict.Group) (Round, error) {
	total, err := l.column.Round(ctx, g, l.mean, l.train)
	if err != nil || total.Weight == 0 {
		return Round{}, err
	}
	return Round{Loss: total.Beside[0] / total.Weight, Weight: total.Weight}, nil
}

// train is the own part of a round. A member without a weight has but conditions to train.
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
