package adversary

import (
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/consensus"
)

// Scaled multiplies its contribution to every sum, as far as the agreed bounds allow.
type Scaled struct{ Factor float64 }

// Call implements netsim.Adversary.
func (a Scaled) Call(c consensus.Call) consensus.Call {
	c.Values = slices.Clone(c.Values)
	i := 0
	for _, b := range c.Blocks {
		for end := i + b.Len; i < end; i++ {
			c.Values[i] = min(max(a.Factor*c.Values[i], -b.Bound), b.Bound)
		}
	}
	return c
}

// Send implements netsim.Adversary.
func (Scaled) Send(_ int, m consensus.Message, _ *rand.Rand) []consensus.Message { return mailed(m) }
