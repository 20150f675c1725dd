package consensus

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"

	"github.com/collabdict/collabdict"
)

// Sealed is what an attempt came to. The vote is for its digest; the total shows
// when the pads of its members are taken off.
type Sealed struct {
	Attempt uint32
	Header  Header
	Blocks  []collabdict.Block // of a Sum
	Members []uint32
	Missing []Missing
	Commits [][32]byte // to the members' pads, in their order; none without seal
	Words   []uint64   // a Sum's, as the session ended with them
	Blobs   [][]byte   // a Gather's, in the order of Members
}

// hashing writes values of fixed and of told length, so that no two different
// sequences of values give the same bytes.
type hashing struct {
	hash.Hash
	word []byte // room for a number
}

func newHashing(purpose string, run [32]byte) hashing {
	h := hashing{sha256.New(), make([]byte, 0, 8)}
	h.bytes([]byte("collabdict/" + purpose + "/2"))
	h.Write(run[:])
	return h
}

func (h hashing) number(v uint64) { h.Write(binary.BigEndian.AppendUint64(h.word[:0], v)) }

func (h hashing) bytes(b []byte) {
	h.number(uint64(len(b)))
	h.Write(b)
}

func (h hashing) words(words []uint64) {
	h.number(uint64(len(words)))
	buf := make([]byte, 0, 4096)
	for _, w := range words {
		if buf = binary.LittleEndian.AppendUint64(buf, w); len(buf) == cap(buf) {
			h.Write(buf)
			buf = buf[:0]
		}
	}
	h.Write(buf)
}

func (h hashing) ranks(ranks []uint32) {
	h.number(uint64(len(ranks)))
	buf := make([]byte, 0, 4096)
	for _, r := range ranks {
		if buf = binary.BigEndian.AppendUint64(buf, uint64(r)); len(buf) == cap(buf) {
			h.Write(buf)
			buf = buf[:0]
		}
	}
	h.Write(buf)
}

func (h hashing) missing(missing []Missing) {
	h.number(uint64(len(missing)))
	for _, m := range missing {
		h.number(uint64(m.Member))
		h.bytes([]byte(m.Reason))
	}
}

func (h hashing) blocks(blocks []collabdict.Block) {
	h.number(uint64(len(blocks)))
	for _, b := range blocks {
		h.number(uint64(b.Len))
		h.number(math.Float64bits(b.Bound))
	}
}

// settings writes each setting after its name. The names and the encodings are part of
// the wire format: what a field is called in Go is not.
func (h hashing) settings(s Settings) {
	text := func(name, value string) {
		h.bytes([]byte(name))
		h.bytes([]byte(value))
	}
	number := func(name string, value uint64) {
		h.bytes([]byte(name))
		h.number(value)
	}
	flag := func(name string, value bool) {
		if value {
			number(name, 1)
		} else {
			number(name, 0)
		}
	}
	text("scheme", string(s.Scheme))
	text("step", string(s.Step))
	text("graph", string(s.Graph))
	number("degree", uint64(s.Degree))
	number("tolerance", math.Float64bits(s.Tolerance))
	number("fan", uint64(s.Fan))
	flag("parity", s.Parity)
	text("protection", string(s.Protect))
	number("chunks", uint64(s.Chunks))
	flag("full chunks", s.Full)
	number("threshold", uint64(s.Threshold))
	number("quorum", uint64(s.Quorum))
	number("colluders", uint64(s.Colluders))
	text("recover", string(s.Recover))
	text("on lone change", string(s.OnLoneChange))
}

func (h hashing) value(v Value) {
	h.number(uint64(v.Attempt))
	h.Write(v.Digest[:])
}

func (h hashing) sum() [32]byte { return [32]byte(h.Sum(nil)) }

// digest returns what is voted for.
func (s *Sealed) digest(run [32]byte, slot uint64) [32]byte {
	h := newHashing("sealed", run)
	h.number(slot)
	h.number(uint64(s.Attempt))
	h.Write(s.Header.Hash[:])
	h.number(uint64(s.Header.Kind))
	h.number(uint64(s.Header.Round))
	h.blocks(s.Blocks)
	h.ranks(s.Members)
	h.missing(s.Missing)
	h.number(uint64(len(s.Commits)))
	for _, c := range s.Commits {
		h.Write(c[:])
	}
	h.words(s.Words)
	h.number(uint64(len(s.Blobs)))
	for _, b := range s.Blobs {
		h.bytes(b)
	}
	return h.sum()
}

// digestOfValues returns the SHA-256 of the values as little-endian IEEE 754.
func digestOfValues(values []float64) [32]byte {
	h := sha256.New()
	buf := make([]byte, 0, 4096)
	for _, v := range values {
		if buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v)); len(buf) == cap(buf) {
			h.Write(buf)
			buf = buf[:0]
		}
	}
	h.Write(buf)
	return [32]byte(h.Sum(nil))
}

// digestOfBlobs returns the SHA-256 of the blobs by rank, each with its length;
// a missing one has the length 2^64-1.
func digestOfBlobs(blobs [][]byte) [32]byte {
	h := hashing{sha256.New(), make([]byte, 0, 8)}
	for _, b := range blobs {
		if b == nil {
			h.number(math.MaxUint64)
			continue
		}
		h.bytes(b)
	}
	return h.sum()
}

// chain returns c_q, the digest of a decision and of all before it.
func chain(before, run [32]byte, d *Decision) [32]byte {
	h := newHashing("chain", run)
	h.Write(before[:])
	h.number(d.Slot)
	h.number(uint64(d.Kind))
	h.number(uint64(d.Round))
	h.number(uint64(d.Attempt))
	h.ranks(d.Members)
	h.missing(d.Missing)
	h.Write(d.Digest[:])
	// The sealed result is random to everybody, by the pads of all: who sits where in
	// the next sessions is known to nobody before it.
	h.value(d.Certificate.Value)
	return h.sum()
}
