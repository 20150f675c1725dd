package wire

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire/pb"
)

// A decoder checks the fields of a message between members of a roster of the given size. It
// keeps the first error. Results after that are useless.
type decoder struct {
	size int
	err  error
}

func (d *decoder) fail(field string, got any, want string) {
	if d.err == nil {
		d.err = malformed(field, got, want)
	}
}

// digest decodes 32 bytes.
func (d *decoder) digest(field string, b []byte) (digest [32]byte) {
	if len(b) != len(digest) {
		d.fail(field, len(b), "32 bytes")
		return digest
	}
	return [32]byte(b)
}

// optional decodes 32 bytes, or an empty field as zero.
func (d *decoder) optional(field string, b []byte) (digest [32]byte) {
	if len(b) == 0 {
		return digest
	}
	return d.digest(field, b)
}

func (d *decoder) words(field string, b []byte) []uint64 {
	if len(b)%8 != 0 || len(b) > 8*MaxWords {
		d.fail(field, len(b), fmt.Sprintf("a multiple of 8 bytes up to %d", 8*MaxWords))
		return nil
	}
	if len(b) == 0 {
		return nil
	}
	words := make([]uint64, len(b)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return words
}

// values decodes the output of putValues. All values must be finite.
func (d *decoder) values(field string, b []byte) []float64 {
	words := d.words(field, b)
	if words == nil {
		return nil
	}
	values := make([]float64, len(words))
	for i, w := range words {
		if values[i] = math.Float64frombits(w); math.IsNaN(values[i]) || math.IsInf(values[i], 0) {
			d.fail(field, values[i], "finite numbers")
		}
	}
	return values
}

func (d *decoder) rank(field string, r uint32) uint32 {
	if int64(r) >= int64(d.size) {
		d.fail(field, r, fmt.Sprintf("one of %d members", d.size))
	}
	return r
}

// ranks checks a list of ranks in any order.
func (d *decoder) ranks(field string, list []uint32) []uint32 {
	if d.most(field, len(list), d.size) {
		for _, r := range list {
			d.rank(field, r)
		}
	}
	return list
}

// members checks a list of ranks in ascending order.
func (d *decoder) members(field string, list []uint32) []uint32 {
	for i, r := range list {
		if i > 0 && r <= list[i-1] {
			d.fail(field, r, "members in rank order")
		}
	}
	return d.ranks(field, list)
}

func (d *decoder) missing(list []*pb.Missing) (missing []consensus.Missing) {
	if !d.most("missing members", len(list), d.size) {
		return nil
	}
	for _, m := range list {
		missing = append(missing, consensus.Missing{
			Member: d.rank("missing member", m.GetMember()), Reason: d.text("reason", m.GetReason()),
		})
	}
	return missing
}

// most reports whether a list has at most the allowed number of entries.
func (d *decoder) most(field string, n, most int) bool {
	if n > most {
		d.fail(field, n, fmt.Sprintf("at most %d entries", most))
	}
	return n <= most
}

func (d *decoder) text(field, s string) string {
	if len(s) > MaxText {
		d.fail(field, len(s), fmt.Sprintf("at most %d bytes", MaxText))
	}
	return s
}

func (d *decoder) signature(b []byte) []byte {
	if len(b) > maxSignature {
		d.fail("signature", len(b), fmt.Sprintf("at most %d bytes", maxSignature))
	}
	return b
}

func (d *decoder) kind(k uint32) consensus.Kind {
	if k < uint32(consensus.Sum) || k > uint32(consensus.Amend) {
		d.fail("kind", k, "a known collective")
	}
	return consensus.Kind(k)
}

func (d *decoder) header(in *pb.Header) consensus.Header {
	h := consensus.Header{
		Kind: d.kind(in.GetKind()), Round: in.GetRound(), Length: in.GetLength(), Hash: d.digest("header hash", in.GetHash()),
		Parameters: d.optional("parameters", in.GetParameters()),
	}
	if r := in.GetRunning(); r != nil {
		h.Running = consensus.RunningHeader{Key: d.key(r.GetKey()), From: d.text("running total", r.GetFrom()), Size: r.GetSize(), Base: d.digest("running total", r.GetBase())}
	}
	return h
}

// key returns the key of a running total, which must not be empty.
func (d *decoder) key(s string) string {
	if s == "" {
		d.fail("running total", "no key", "a key")
	}
	return d.text("running total", s)
}
