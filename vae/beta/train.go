package beta

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/collabdict/collabdict/vae/nn"
)

// train does the epochs of a round on own rows, with an optimiser that has no moments
// yet, and returns the mean loss over all of them, each batch's before its step.
func (m *Model) train(ctx context.Context, x []float32, adam *nn.Adam, order, noise rand.Source) (Loss, error) {
	c := m.config
	rows := len(x) / c.Inputs
	adam.Reset()
	batches := nn.NewBatches(rows, c.Batch, order)
	var sum Loss
	for epoch := range c.Epochs {
		for range (rows + c.Batch - 1) / c.Batch {
			if err := ctx.Err(); err != nil {
				return Loss{}, err
			}
			batch, _ := batches.Next()
			m.x = nn.Gather(m.x, x, c.Inputs, batch)
			l, err := m.forward(m.x, noise)
			if err != nil {
				return Loss{}, fmt.Errorf("epoch %d: %w", epoch+1, err)
			}
			sum.add(l)
			m.backward()
			adam.Step(m.all.Values, m.all.Gradient)
		}
	}
	return sum.over(float64(rows*c.Epochs), c.Beta), nil
}
