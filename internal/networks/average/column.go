package average

import (
	"context"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/vae"
)

// A Column is a member's column of V: the conditions of all gated layers of its model, empty if
// there are none.
type Column struct {
	own    *vae.Parameters
	before []float32
}

// NewColumn returns the column of these parameters, [vae.Network.Private] of the model.
func NewColumn(own *vae.Parameters) *Column {
	return &Column{own, make([]float32, len(own.Values))}
}

// Before returns the conditions before the last round.
func (c *Column) Before() []float32 { return c.before }

// Round makes a round of the mean in which train also changes the conditions, in place. If this
// member's part is not in the total, the conditions are restored, because W and b have changed
// without them.
func (c *Column) Round(ctx context.Context, g collabdict.Group, m *Mean, train func(ctx context.Context) (Part, error)) (Total, error) {
	copy(c.before, c.own.Values)
	total, err := m.Round(ctx, g, train)
	if err != nil || !total.Own {
		copy(c.own.Values, c.before)
	}
	return total, err
}

// SetMeanColumn sets conditions to the weighted mean over all members, computed from the biases first
// and now (see the package documentation). It is exact, up to rounding, if weights were the
// same in all rounds. share is the learning rate of conditions divided by that of biases.
func SetMeanColumn(own, first, now *vae.Parameters, share float32) {
	from, to := byName(first), byName(now)
	own.Matrices(func(s vae.Shape, v []float32) {
		bias := strings.TrimSuffix(s.Name, "condition") + "bias"
		for i := range v {
			v[i] = share * (to[bias][i] - from[bias][i])
		}
	})
}

func byName(p *vae.Parameters) map[string][]float32 {
	all := map[string][]float32{}
	p.Matrices(func(s vae.Shape, v []float32) { all[s.Name] = v })
	return all
}
