package adversary

import (
	"math/rand/v2"

	"github.com/collabdict/collabdict/consensus"
)

// Equivocator sends members of odd rank other votes, promises and partial sums than those of
// even rank.
type Equivocator struct{ honest }

// Send implements netsim.Adversary.
func (Equivocator) Send(to int, m consensus.Message, _ *rand.Rand) []consensus.Message {
	if to%2 == 0 {
		return mailed(m)
	}
	switch b := m.Body.(type) {
	case *consensus.Done:
		other := *b
		other.Value.Digest[0] ^= 1
		m.Body = &other
	case *consensus.Promise:
		other := *b
		other.Vote = nil
		m.Body = &other
	case *consensus.Step:
		other := *b
		other.Words = append([]uint64(nil), b.Words...)
		if len(other.Words) > 0 {
			other.Words[0] ^= 1 << 40
		}
		m.Body = &other
	}
	return mailed(m)
}
