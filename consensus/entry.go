package consensus

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
)

// callHead and sealedHead are what stands before the vectors, as JSON.
type callHead struct {
	Header Header
	Blocks []collabdict.Block
	Blob   []byte
}

func (c *call) write(slot uint64) Write {
	return Write{slot, EntryCall, encodeHead(callHead{c.header, c.blocks, c.blob}), Vector{Values: c.values}}
}

func decodeCall(b []byte) (*call, error) {
	var h callHead
	words, err := decodeWords(b, &h)
	if err != nil {
		return nil, err
	}
	c := &call{header: h.Header, blocks: h.Blocks, blob: h.Blob}
	if len(words) > 0 {
		c.values = make([]float64, len(words))
	}
	for i, w := range words {
		c.values[i] = math.Float64frombits(w)
	}
	return c, nil
}

func (s *Sealed) write(slot uint64, name string) Write {
	head := *s
	head.Words = nil
	return Write{slot, name, encodeHead(head), Vector{Words: s.Words}}
}

func decodeSealed(b []byte) (*Sealed, error) {
	s := &Sealed{}
	words, err := decodeWords(b, s)
	s.Words = words
	return s, err
}

// encodeHead returns a head as JSON, after its length.
func encodeHead(head any) []byte {
	h, err := json.Marshal(head)
	if err != nil {
		panic("consensus: " + err.Error()) // plain data
	}
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(h))), h...)
}

func decodeWords(b []byte, head any) ([]uint64, error) {
	if len(b) < 4 {
		return nil, fmt.Errorf("want at least 4 bytes, got %d", len(b))
	}
	n := int(binary.LittleEndian.Uint32(b))
	if b = b[4:]; n > len(b) || (len(b)-n)%8 != 0 {
		return nil, fmt.Errorf("want a head of %d bytes and whole words, got %d bytes", n, len(b))
	}
	if err := json.Unmarshal(b[:n], head); err != nil {
		return nil, err
	}
	b = b[n:]
	if len(b) == 0 {
		return nil, nil
	}
	words := make([]uint64, len(b)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return words, nil
}
