package consensus

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

// A hashing writes values of fixed length, and others after their length, so that different
// sequences of values give different bytes.
type hashing struct {
	hash.Hash
	word []byte
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
	for _, r := range ranks {
		h.number(uint64(r))
	}
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

// settings writes each setting after its name. These names and encodings are part of the wire
// format; the names of the Go fields are not.
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
	flag("accept lone change", s.AcceptLoneChange)
	text("on lone return", string(s.OnLoneReturn))
}

func (h hashing) value(v Value) {
	h.number(uint64(v.Attempt))
	h.Write(v.Digest[:])
}

func (h hashing) sum() [32]byte { return [32]byte(h.Sum(nil)) }

// digestOfValues returns the SHA-256 of the values as little-endian IEEE 754 numbers.
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

// digestOfBlobs returns the SHA-256 of the blobs by rank, each after its length. A missing blob
// has the length 2^64-1.
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

// chain returns c_q, the hash over a decision and all earlier ones.
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
	if c := d.Running; c != nil {
		h.bytes([]byte(c.Key))
		h.bytes([]byte(c.From))
		h.number(uint64(c.Size))
		h.ranks(c.Members)
	}
	// The pads of all members make the sealed result random. So before it is known, nobody can
	// predict the seats in the next sessions.
	h.value(d.Certificate.Value)
	return h.sum()
}

// secrets are this member's secrets of an attempt: its pad, and shares of other pads. Only
// those of the decided attempt are ever sent to others.
type secrets struct {
	dealt   bool                    // kept: this member has drawn its secrets
	pad     [32]byte                // kept: this member's pad
	held    map[int]*chunking.Share // kept: shares of the others' pads, by owner
	commits map[int][32]byte        // kept with held: commitments to all pads, by owner
}

// A naming derives names and secrets that belong to one slot of a run.
type naming struct {
	run  [32]byte
	slot uint64
}

func (n naming) context(ballot uint32, from int) chunking.Context {
	return chunking.Context{Run: n.run, Slot: n.slot, Ballot: ballot, From: from}
}

func (n naming) secret(entropy [32]byte, ballot uint32, purpose string) [32]byte {
	h := newHashing("secret/"+purpose, n.run)
	h.Write(entropy[:])
	h.number(n.slot)
	h.number(uint64(ballot))
	return h.sum()
}

func (n naming) padMask(owner int, attempt uint32, seed [32]byte) chunking.Mask {
	c := n.context(attempt, owner)
	c.To = owner
	return chunking.Mask{Context: c, Purpose: chunking.ForPad, Seed: seed}
}

// commitment returns the commitment to a pad, which its member publishes before the session.
func (n naming) commitment(member int, ballot uint32, pad [chunking.SeedSize]byte) [32]byte {
	h := newHashing("commitment", n.run)
	h.number(n.slot)
	h.number(uint64(ballot))
	h.number(uint64(member))
	h.Write(pad[:])
	return h.sum()
}
