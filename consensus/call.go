package consensus

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

// The largest sum and the largest blob: what a message can carry.
const (
	maxValues = 1 << 25
	maxBlob   = 1 << 28
)

// call is the slot under way: what this member brought and what it was sent.
type call struct {
	Call
	header     Header
	started    time.Duration
	neighbours []int // in this slot's session, by rank
	handedOut  []chunking.Chunk
	session    *session

	seeds  map[int]*Seeds
	blobs  map[int][]byte
	ready  map[int]bool
	first  map[int][]float64 // Steps of iteration 0 that came before the session began
	seal   []float64         // as received, to be checked
	sealer int               // who passed the seal on

	value      [32]byte // voted for
	done       map[int][32]byte
	total      []float64 // adopted
	difference float64
}

func (m *Machine) newCall(c Call) (call, error) {
	r := call{
		Call: c, started: m.now,
		seeds: map[int]*Seeds{}, blobs: map[int][]byte{}, ready: map[int]bool{},
		first: map[int][]float64{}, done: map[int][32]byte{},
	}
	switch c.Kind {
	case Sum:
		if len(c.Values) == 0 || len(c.Values) > maxValues {
			return r, fmt.Errorf("sum: want 1 to %d values, got %d", maxValues, len(c.Values))
		}
		if err := collabdict.CheckBlocks(c.Values, c.Blocks); err != nil {
			return r, fmt.Errorf("sum: %w", err)
		}
		r.neighbours = m.labels().neighbours(m.plan.Graph, m.p.Self)
		r.handedOut = m.handOut(c.Entropy)
	case Gather:
		if len(c.Blob) > maxBlob {
			return r, fmt.Errorf("gather: want at most %d bytes, got %d", maxBlob, len(c.Blob))
		}
		r.blobs[m.p.Self] = c.Blob
	default:
		panic("consensus: unknown collective")
	}
	r.header = m.header(c)
	for s, p := range m.peers {
		if p.left != nil {
			return r, m.leftError(s)
		}
		if p.beat.State == Finished && p.slot <= m.slot {
			return r, m.finishedError(s)
		}
	}
	return r, nil
}

// header describes the call by all that members must agree on.
func (m *Machine) header(c Call) Header {
	h := sha256.New()
	h.Write([]byte("collabdict/header/1"))
	h.Write(m.p.Run[:])
	put := func(v uint64) { h.Write(binary.BigEndian.AppendUint64(nil, v)) }
	put(m.slot)
	put(uint64(c.Kind))
	put(uint64(c.Round))
	put(uint64(len(c.Values)))
	for _, b := range c.Blocks {
		put(uint64(b.Len))
		put(math.Float64bits(b.Bound))
	}
	fmt.Fprintf(h, "%+v", m.p.Settings)
	plan := m.plan.digest()
	h.Write(plan[:])
	return Header{Kind: c.Kind, Round: c.Round, Length: uint32(len(c.Values)), Hash: [32]byte(h.Sum(nil))}
}

// opening returns the message that opens the slot towards a member.
func (m *Machine) opening(to int) Body {
	c := m.call
	if c.Kind == Gather {
		return &Blob{Header: c.header, Data: c.Blob}
	}
	seeds := &Seeds{Header: c.header}
	for _, chunk := range c.handedOut {
		if chunk.To == to {
			seeds.Chunk = chunk.Seed[:]
		}
	}
	return seeds
}

// handOut returns the chunks that this member hands out, a function of the call's
// entropy.
func (m *Machine) handOut(entropy [32]byte) []chunking.Chunk {
	if m.plan.Fanout == 0 {
		return nil
	}
	c := chunking.Context{Run: m.p.Run, Slot: m.slot, From: m.p.Self}
	partners := chunking.Partners(entropy, c, m.plan.Size, m.plan.Fanout)
	chunks := make([]chunking.Chunk, len(partners))
	for i, to := range partners {
		c.To = to
		chunks[i] = chunking.Chunk{Context: c, Seed: chunking.Seed(entropy, c)}
	}
	return chunks
}

// received returns the chunks that this member was handed, by rank.
func (m *Machine) received() []chunking.Chunk {
	var chunks []chunking.Chunk
	for from := range m.p.Members {
		if s := m.call.seeds[from]; s != nil && len(s.Chunk) == chunking.SeedSize {
			c := chunking.Context{Run: m.p.Run, Slot: m.slot, From: from, To: m.p.Self}
			chunks = append(chunks, chunking.Chunk{Context: c, Seed: [32]byte(s.Chunk)})
		}
	}
	return chunks
}
