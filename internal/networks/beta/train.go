package beta

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/collabdict/collabdict/vae"
)

// descent runs Adam on weights and biases, which do not change if shared is nil, and on the own
// conditions. All moments start at 0.
type descent struct{ shared, own *vae.Adam }

func newDescent(m *Model) descent {
	rate := float32(m.config.Rate)
	return descent{vae.NewAdam(len(m.all.Values), rate), vae.NewAdam(len(m.own.Values), rate)}
}

func (d descent) step(m *Model) {
	if d.shared != nil {
		d.shared.Step(m.all.Values, m.all.Gradient)
	}
	d.own.Step(m.own.Values, m.own.Gradient)
}

// train trains for some epochs on own rows. It returns the mean loss over all of them, where
// each batch counts with its loss before its step.
func (m *Model) train(ctx context.Context, x []float32, epochs int, by descent, order, noise rand.Source) (Loss, error) {
	c := m.config
	rows := len(x) / c.Inputs
	batches := vae.NewBatches(rows, c.Batch, order)
	var sum Loss
	for epoch := range epochs {
		for range (rows + c.Batch - 1) / c.Batch {
			if err := ctx.Err(); err != nil {
				return Loss{}, err
			}
			batch, _ := batches.Next()
			m.x = vae.Gather(m.x, x, c.Inputs, batch)
			l, err := m.forward(m.x, noise)
			if err != nil {
				return Loss{}, fmt.Errorf("epoch %d: %w", epoch+1, err)
			}
			sum.add(l)
			m.backward()
			by.step(m)
		}
	}
	return sum.over(float64(rows*epochs), c.Beta), nil
}

// Adapt fits only the conditions to rows of a member that has not trained, by some epochs of
// Adam on the loss of training. It needs neither labels nor other members, because weights and
// biases do not change.
func (m *Model) Adapt(ctx context.Context, x []float32, epochs int, src rand.Source) error {
	_, err := m.train(ctx, x, epochs, descent{own: newDescent(m).own}, src, src)
	return err
}
