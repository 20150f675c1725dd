package adversary

import (
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/consensus"
)

// Flipped swaps classes: within each block it credits the first value's share to the last, and
// so on. No bound is exceeded.
type Flipped struct{}

// Call implements netsim.Adversary.
func (Flipped) Call(c consensus.Call) consensus.Call {
	c.Values = slices.Clone(c.Values)
	i := 0
	for _, b := range c.Blocks {
		slices.Reverse(c.Values[i : i+b.Len])
		i += b.Len
	}
	return c
}

// Send implements netsim.Adversary.
func (Flipped) Send(_ int, m consensus.Message, _ *rand.Rand) []consensus.Message { return mailed(m) }
