package consensus

import (
	"fmt"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

// Limits of a message: values of a sum, and bytes of a blob.
const (
	maxValues = 1 << 25
	maxBlob   = 1 << 28
)

// A call is this member's contribution to a slot. It is frozen at the first deal: all attempts
// use it, also those of a later process.
type call struct {
	header Header
	values []float64
	blocks []collabdict.Block
	layout layout // of a running total's values
	blob   []byte
}

// KeepCall copies the vector of the current call and returns the copy, or nil without a call. A
// caller that does not wait for the decision uses it to get its own vector back.
func (m *Machine) KeepCall() []float64 {
	c := m.slot.call
	if c == nil {
		return nil
	}
	if c.header.Running.Key == "" { // otherwise it is a copy already
		c.values = slices.Clone(c.values)
	}
	return c.values
}

// A Kind is the collective operation of a slot.
type Kind uint8

// The kinds.
const (
	Sum Kind = iota + 1
	Gather
	// Amend changes the roster. The learner never calls it.
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

// A Header describes a call. All members of a slot must agree on it before any value moves.
type Header struct {
	Kind   Kind
	Round  uint32   // model round; 0 during start-up
	Length uint32   // number of values of a Sum; 0 for a Gather
	Hash   [32]byte // over the fields above, the bounds of the blocks and the settings
	// Parameters is the digest of the model parameters that the member computes from; zero for
	// none.
	Parameters [32]byte `json:",omitzero"`
	// Running identifies the running total that a Sum belongs to; zero for none.
	Running RunningHeader `json:",omitzero"`
}

// bounded returns blocks without their Moment, which does not matter in a sum, and merges
// neighbours with equal bounds.
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
	moments := c.Blocks
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
			r.values, r.blocks, r.layout = slices.Clone(c.Values), scaled(c.Blocks, 2), layoutOf(moments)
			m.p.quanta(c.Blocks, running.Size).quantise(r.values)
		}
		// Find out before anything leaves whether the bounds fit the arithmetic.
		if _, err := m.plans.layout(m.roster.Size, r.blocks); err != nil {
			return nil, fmt.Errorf("sum: %w", err)
		}
	case Gather:
		if len(c.Blob) > maxBlob {
			return nil, fmt.Errorf("gather: want at most %d bytes, got %d", maxBlob, len(c.Blob))
		}
		if r.blob == nil {
			r.blob = []byte{} // nil stands for a missing member's blob
		}
	default:
		panic("consensus: unknown collective")
	}
	c.Blocks = r.blocks
	r.header = m.header(c, running)
	return r, nil
}

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
