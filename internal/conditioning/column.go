package conditioning

import (
	"context"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/average"
	"github.com/collabdict/collabdict/vae/nn"
)

// Column is a member's column of V: the conditions of all gated layers of its model, none if
// it has no such layer.
type Column struct {
	own    *nn.Parameters
	before []float32
}

// New returns the column that consists of these, [nn.Network.Private] of the model.
func New(own *nn.Parameters) *Column {
	return &Column{own, make([]float32, len(own.Values))}
}

// Before returns the conditions that the last round began with.
func (c *Column) Before() []float32 { return c.before }

// Round is that of the mean, with a train that changes the conditions as well, in place.
// They are as they were before if the own part is not in the total, as W and b have then
// moved without it.
func (c *Column) Round(ctx context.Context, g collabdict.Group, m *average.Mean, train func(ctx context.Context) (average.Part, error)) (average.Total, error) {
	copy(c.before, c.own.Values)
	total, err := m.Round(ctx, g, train)
	if err != nil || !total.Own {
		copy(c.own.Values, c.before)
	}
	return total, err
}

// SetMean sets conditions to the mean of those of all members by their weights, which is
// known from the biases, first and now (see the package's documentation): but for rounding,
// where all have had the same weights in all rounds. Share is the rate of learning of
// conditions divided by that of biases.
func SetMean(own, first, now *nn.Parameters, share float32) {
	from, to := byName(first), byName(now)
	own.Matrices(func(s nn.Shape, v []float32) {
		bias := strings.TrimSuffix(s.Name, "condition") + "bias"
		for i := range v {
			v[i] = share * (to[bias][i] - from[bias][i])
		}
	})
}

func byName(p *nn.Parameters) map[string][]float32 {
	all := map[string][]float32{}
	p.Matrices(func(s nn.Shape, v []float32) { all[s.Name] = v })
	return all
}
