package consensus

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
)

// A callHead is the JSON part of the entry of a call. The vector follows it.
type callHead struct {
	Header Header
	Blocks []collabdict.Block
	Layout layout `json:",omitzero"`
	Blob   []byte
}

func (c *call) write(slot uint64) Write {
	return Write{slot, EntryCall, encodeHead(callHead{c.header, c.blocks, c.layout, c.blob}), Vector{Values: c.values}}
}

func decodeCall(b []byte) (*call, error) {
	var h callHead
	words, err := decodeWords(b, &h)
	if err != nil {
		return nil, err
	}
	c := &call{header: h.Header, blocks: h.Blocks, layout: h.Layout, blob: h.Blob}
	if len(words) > 0 {
		c.values = make([]float64, len(words))
	}
	for i, w := range words {
		c.values[i] = math.Float64frombits(w)
	}
	if !c.layout.fits(len(words)) {
		return nil, fmt.Errorf("want components within %d values, got %v", len(words), c.layout)
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

// encodeHead returns a head as JSON, preceded by its length in 4 bytes.
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

// A Write stores an entry of a slot on disk: Data, followed by Vector. Without Data it deletes
// the entry.
type Write struct {
	Slot   uint64
	Name   string // an Entry constant, possibly with a suffix, or Forget
	Data   []byte
	Vector Vector
}

// Forget is the name of the Write that deletes all entries of a slot. The decision in the log
// stays.
const Forget = ""

// A Vector is the end of a long entry: values or words, as 8 bytes each in little endian. It
// shares the memory of the machine and its caller, which saves a copy.
type Vector struct {
	Values []float64
	Words  []uint64
}

// Size returns the size of the entry in bytes.
func (w *Write) Size() int { return len(w.Data) + 8*(len(w.Vector.Values)+len(w.Vector.Words)) }

// Bytes returns a copy of the entry's bytes, or nil without Data.
func (w *Write) Bytes() []byte {
	if w.Data == nil {
		return nil
	}
	return w.Append(make([]byte, 0, w.Size()), 0, w.Size())
}

// Append appends the entry's bytes from index from up to index to.
func (w *Write) Append(b []byte, from, to int) []byte {
	if n := len(w.Data); from < n {
		b = append(b, w.Data[from:min(n, to)]...)
		from = n
	}
	for from, to = from-len(w.Data), to-len(w.Data); from < to; {
		if from%8 == 0 && to-from >= 8 {
			b = binary.LittleEndian.AppendUint64(b, w.Vector.bits(from/8))
			from += 8
			continue
		}
		var number [8]byte
		binary.LittleEndian.PutUint64(number[:], w.Vector.bits(from/8))
		part := number[from%8 : min(8, from%8+to-from)]
		b = append(b, part...)
		from += len(part)
	}
	return b
}

func (v *Vector) bits(i int) uint64 {
	if v.Values != nil {
		return math.Float64bits(v.Values[i])
	}
	return v.Words[i]
}
