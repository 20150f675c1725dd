package adversary

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
)

// Silent receives, and sends nothing.
type Silent struct{ honest }

// Send implements netsim.Adversary.
func (Silent) Send(int, consensus.Message, *rand.Rand) []consensus.Message { return nil }

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

// Replay sends an old message again with each message.
type Replay struct {
	honest
	kept map[int][]consensus.Message
}

// mostKept bounds the messages kept per receiver.
const mostKept = 200

// Send implements netsim.Adversary.
func (a *Replay) Send(to int, m consensus.Message, r *rand.Rand) []consensus.Message {
	if a.kept == nil {
		a.kept = map[int][]consensus.Message{}
	}
	kept := a.kept[to]
	if len(kept) < mostKept {
		kept = append(kept, m)
	} else {
		kept[r.IntN(mostKept)] = m
	}
	a.kept[to] = kept
	return []consensus.Message{m, kept[r.IntN(len(kept))]}
}

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

// Scaled multiplies its contribution to every sum, as far as the agreed bounds allow.
type Scaled struct {
	honest
	Factor float64
}

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

// Flipped swaps classes: within each block it credits the first value's share to the last, and
// so on. No bound is exceeded.
type Flipped struct{ honest }

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
