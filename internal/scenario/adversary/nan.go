package adversary

import (
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict/consensus"
)

// NaN sends words of all ones, which are NaN as floating-point numbers, in the frames of its
// sessions. Its own machine would refuse a vector with such a value.
type NaN struct{ honest }

// Send implements netsim.Adversary.
func (NaN) Send(_ int, m consensus.Message, _ *rand.Rand) []consensus.Message {
	if b, is := m.Body.(*consensus.Step); is {
		words := make([]uint64, len(b.Words))
		for i := range words {
			words[i] = math.MaxUint64
		}
		m.Body = &consensus.Step{Lane: b.Lane, Round: b.Round, Part: b.Part, Words: words}
	}
	return mailed(m)
}
