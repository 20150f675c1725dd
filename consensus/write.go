package consensus

import (
	"encoding/binary"
	"math"
)

// Write puts bytes under a name into the slot's entry on disk: Data, and after it the
// Vector. Without Data what is there is deleted.
type Write struct {
	Slot   uint64
	Name   string // one of the Entry names; Forget
	Data   []byte
	Vector Vector
}

// Forget is the name of the Write that deletes all that is kept of a slot but its
// decision.
const Forget = ""

// Vector is what long entries end with, each number in 8 bytes in little endian:
// values, or words. It is the memory that the machine and its caller go on with,
// so that none as long is taken for the disk.
type Vector struct {
	Values []float64
	Words  []uint64
}

// Size returns the number of bytes.
func (w *Write) Size() int { return len(w.Data) + 8*(len(w.Vector.Values)+len(w.Vector.Words)) }

// Bytes returns a copy of all bytes, nil if there is no Data.
func (w *Write) Bytes() []byte {
	if w.Data == nil {
		return nil
	}
	return w.Append(make([]byte, 0, w.Size()), 0, w.Size())
}

// Append appends the bytes from one place up to another.
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
