package adversary

import (
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/consensus"
)

// Flipped takes classes for each other: within each block, what belongs to the
// first it credits to the last, and so on. No bound is broken by that.
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
