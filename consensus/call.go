package consensus

import (
	"fmt"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

// The largest sum and the largest blob: what a message can carry.
const (
	maxValues = 1 << 25
	maxBlob   = 1 << 28
)

// call is what this member brings to a slot. It is frozen at the first entry: all
// attempts of the slot, also of a later process, use the same.
type call struct {
	header Header
	values []float64
	blocks []collabdict.Block
	blob   []byte
}

// KeepCall copies what the call under way was lent, and returns the copy, or nil without
// a call: whoever made it does not wait for its end.
func (m *Machine) KeepCall() []float64 {
	c := m.slot.call
	if c == nil {
		return nil
	}
	if c.header.Running.Key == "" { // else it is a copy already
		c.values = slices.Clone(c.values)
	}
	return c.values
}

// Kind is the collective of a slot.
type Kind uint8

// The collectives.
const (
	Sum Kind = iota + 1
	Gather
	// Amend is no call: it changes the roster.
	Amend
)

func (k Kind) String() string {
	switch k {
	case Sum:
		return "sum"
	case Gather:
		return "gather"
	case Amend:
		return "amendment"
	}
	return "unknown collective"
}

// Header is what all members of a slot must agree on before any value moves.
type Header struct {
	Kind   Kind
	Round  uint32   // the model round, 0 during start-up
	Length uint32   // values of a Sum; 0 for a Gather
	Hash   [32]byte // over the above, the bounds of the blocks and the settings
	// Parameters is the digest of those that the member computes from; zero for none.
	Parameters [32]byte `json:",omitzero"`
	// Running is the running total that a Sum belongs to; zero for none.
	Running RunningHeader `json:",omitzero"`
}

// bounded returns blocks without what their values are, which is no part of a sum: equal
// neighbours are one block.
func bounded(blocks []collabdict.Block) (out []collabdict.Block) {
	for _, b := range blocks {
		b.Moment = collabdict.NoMoment
		if last := len(out) - 1; last >= 0 && out[last].Bound == b.Bound {
			out[last].Len += b.Len
			continue
		}
		out = append(out, b)
	}
	return out
}

func (m *Machine) newCall(c Call) (*call, error) {
	c.Blocks = bounded(c.Blocks)
	r := &call{values: c.Values, blocks: c.Blocks, blob: c.Blob}
	var running RunningHeader
	switch c.Kind {
	case Sum:
		if len(c.Values) == 0 || len(c.Values) > maxValues {
			return nil, fmt.Errorf("sum: want 1 to %d values, got %d", maxValues, len(c.Values))
		}
		if err := collabdict.CheckBlocks(c.Values, c.Blocks); err != nil {
			return nil, fmt.Errorf("sum: %w", err)
		}
		var err error
		if running, err = m.runningHeader(&c, c.Blocks); err != nil {
			return nil, err
		}
		if c.Running.Key != "" {
			r.values, r.blocks = slices.Clone(c.Values), doubled(c.Blocks)
			m.p.quanta(c.Blocks, running.Size).round(r.values)
		}
		// Whether the bounds fit the arithmetic is found out before anything leaves.
		if _, err := m.plans.layout(m.roster.Size, r.blocks); err != nil {
			return nil, fmt.Errorf("sum: %w", err)
		}
	case Gather:
		if len(c.Blob) > maxBlob {
			return nil, fmt.Errorf("gather: want at most %d bytes, got %d", maxBlob, len(c.Blob))
		}
		if r.blob == nil {
			r.blob = []byte{} // a missing member's is nil
		}
	default:
		panic("consensus: unknown collective")
	}
	c.Blocks = r.blocks
	r.header = m.header(c, running)
	return r, nil
}

// header describes the call by all that members must agree on.
func (m *Machine) header(c Call, running RunningHeader) Header {
	h := newHashing("header", m.p.Run)
	h.number(m.slot.number)
	h.number(uint64(c.Kind))
	h.number(uint64(c.Round))
	h.number(uint64(len(c.Values)))
	h.blocks(c.Blocks)
	h.settings(m.p.Settings)
	return Header{Kind: c.Kind, Round: c.Round, Length: uint32(len(c.Values)), Hash: h.sum(), Parameters: c.Parameters, Running: running}
}

// arithmetic returns what vectors are made of in the settings' scheme.
func (s Settings) arithmetic() chunking.Arithmetic {
	switch {
	case s.Scheme == BaseK:
		return chunking.Field
	case s.Scheme == Exact && s.Parity:
		return chunking.Ring128
	case s.Scheme == Exact:
		return chunking.Ring
	}
	return chunking.Float
}
