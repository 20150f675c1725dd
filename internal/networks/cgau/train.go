package cgau

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/collabdict/collabdict/vae"
)

// descent is gradient descent on the shared parameters and on the own conditions.
type descent struct{ shared, own *vae.SGD }

func newDescent(m *Model) descent {
	c := m.config
	return descent{
		vae.NewSGD(len(m.net.Shared.Values), float32(c.Rate), float32(c.Momentum)),
		vae.NewSGD(len(m.net.Private.Values), float32(c.ConditionRate), float32(c.Momentum)),
	}
}

// train makes the steps of a round, starting without momentum. It returns the mean loss of the
// rows it trained on, where each batch counts with its loss before its step.
func (m *Model) train(ctx context.Context, rows Rows, by descent, order, drop rand.Source) (float64, error) {
	c := m.config
	by.shared.Reset()
	by.own.Reset()
	batches := vae.NewBatches(len(rows.Classes), c.Batch, order)
	sum, seen := 0.0, 0
	for step := range min(c.Steps, (len(rows.Classes)+c.Batch-1)/c.Batch) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		batch, _ := batches.Next()
		m.x, m.classes = vae.Gather(m.x, rows.Values, c.Inputs, batch), m.classes[:0]
		for _, row := range batch {
			m.classes = append(m.classes, rows.Classes[row])
		}
		loss, err := m.gradient(m.x, m.classes, drop)
		if err != nil {
			return 0, fmt.Errorf("step %d: %w", step+1, err)
		}
		by.shared.Step(m.net.Shared.Values, m.net.Shared.Gradient)
		by.own.Step(m.net.Private.Values, m.net.Private.Gradient)
		sum += loss
		seen += len(batch)
	}
	return sum / float64(seen), nil
}

// gradient computes the gradient of the mean loss of rows, and returns the sum of the losses.
func (m *Model) gradient(x []float32, classes []int, drop rand.Source) (float64, error) {
	y, err := m.net.Forward(x, drop)
	if err != nil {
		return 0, err
	}
	loss, err := m.loss(y, classes)
	if err != nil {
		return 0, err
	}
	for i := range m.d {
		m.d[i] /= float32(len(classes))
	}
	m.net.Backward(m.d, vae.ForParameters)
	return loss, nil
}

// Adapt fits only the conditions to some rows of a member that has not trained. It makes the
// given number of steps of gradient descent on the mean loss of all rows, without dropout, at
// the rate and momentum of the configuration. It needs no other member, because weights and
// biases do not change.
func (m *Model) Adapt(ctx context.Context, rows Rows, steps int) error {
	own := newDescent(m).own
	for range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := m.gradient(rows.Values, rows.Classes, nil); err != nil {
			return err
		}
		own.Step(m.net.Private.Values, m.net.Private.Gradient)
	}
	return nil
}
