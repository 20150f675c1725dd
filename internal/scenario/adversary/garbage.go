package adversary

import (
	"math/rand/v2"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
)

// Garbage replaces some of its messages by random ones of the right form.
type Garbage struct {
	honest
	Rate float64 // share of its messages
}

// Send implements netsim.Adversary.
func (g Garbage) Send(_ int, m consensus.Message, r *rand.Rand) []consensus.Message {
	if r.Float64() >= g.Rate {
		return mailed(m)
	}
	switch b := m.Body.(type) {
	case *consensus.Step:
		m.Body = &consensus.Step{Lane: b.Lane, Round: b.Round, Part: b.Part, Words: noise(len(b.Words), r)}
	case *consensus.Seeds:
		bad := *b
		bad.Share = &chunking.Share{X: byte(r.Uint32())}
		bad.Chunk = bytes(r)
		m.Body = &bad
	case *consensus.Done:
		bad := *b
		bad.Value.Digest = [32]byte(bytes(r))
		m.Body = &bad
	case *consensus.Pads:
		m.Body = &consensus.Pads{Pads: []consensus.Pad{{Member: r.Uint32N(8), Seed: [32]byte(bytes(r))}}}
	case *consensus.View:
		m.Body = &consensus.View{Ballot: b.Ballot, Members: []uint32{r.Uint32(), r.Uint32()}}
	case *consensus.Heartbeat:
		m.Body = &consensus.Heartbeat{State: consensus.State(r.Uint32()), Promised: r.Uint32(), Round: r.Uint32(), Ask: r.Uint32(), Waiting: []uint32{r.Uint32()}}
		m.Slot += uint64(r.IntN(3))
	default:
		m.Ballot = r.Uint32()
	}
	return mailed(m)
}

func noise(n int, r *rand.Rand) []uint64 {
	words := make([]uint64, n)
	for i := range words {
		words[i] = r.Uint64()
	}
	return words
}

func bytes(r *rand.Rand) []byte {
	b := make([]byte, 32)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
