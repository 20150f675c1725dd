package journal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// Rows is a digest of rows that, like totals, does not depend on their order. Equal rows count
// separately.
type Rows struct {
	key  []byte
	each hash.Hash
	n    uint64
	sum  [4]uint64 // sum of the digests of the rows, as four integers modulo 2⁶⁴
	last []byte
}

// Rows returns the digest of an empty set of rows.
func (p *Past) Rows() *Rows { return &Rows{key: p.key, each: hmac.New(sha256.New, p.key)} }

// Add adds a row. Different rows must have different bytes.
func (r *Rows) Add(row []byte) {
	r.each.Reset()
	r.each.Write(row)
	r.last = r.each.Sum(r.last[:0])
	for i := range r.sum {
		r.sum[i] += binary.BigEndian.Uint64(r.last[8*i:])
	}
	r.n++
}

// Digest returns the digest of the rows so far, in hexadecimal.
func (r *Rows) Digest() string {
	h := hmac.New(sha256.New, r.key)
	h.Write([]byte("collabdict/rows/1")) // no row equals this: rows begin with their length
	b := binary.BigEndian.AppendUint64(nil, r.n)
	for _, v := range r.sum {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}
