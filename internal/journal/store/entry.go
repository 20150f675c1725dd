package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"go.etcd.io/bbolt"
)

// Each entry is in its own bucket. When bbolt changes a key it rewrites the whole leaf, with up
// to three other keys and all their values. In a shared bucket, each small entry among vectors
// would cost the writing of several vectors.

// Each value is followed by a digest. It covers the value, its key and the path of its buckets,
// so a value in the wrong place is damage, too. An encrypted value is authenticated when it is
// opened. Since such values are long vectors, the digest covers only their nonce and tag.
const digestSize = sha256.Size

var keyData = []byte("data")

// head counts the entries of the file and combines their digests. So an entry that is missing,
// or was added, is detected.
type head struct {
	count uint64
	sum   [digestSize]byte
}

func (h *head) add(digest []byte) { h.count++; h.mix(digest) }

func (h *head) remove(digest []byte) { h.count--; h.mix(digest) }

func (h *head) mix(digest []byte) {
	for i := range h.sum {
		h.sum[i] ^= digest[i]
	}
}

func (h *head) encode() []byte {
	return append(binary.BigEndian.AppendUint64(make([]byte, 0, 8+2*digestSize), h.count), h.sum[:]...)
}

func decodeHead(b []byte) (h head, err error) {
	if len(b) != 8+digestSize {
		return h, damagef("the count of its entries has %d bytes", len(b))
	}
	return head{binary.BigEndian.Uint64(b), [digestSize]byte(b[8:])}, nil
}

// bucket is a bucket of the file, or none.
type bucket struct {
	bolt   *bbolt.Bucket
	path   []byte // path of buckets to it
	sealed bool   // whether its entries are encrypted
	head   *head  // counts its entries; nil in transactions that only read
}

func (b bucket) exists() bool { return b.bolt != nil }

// below returns a path extended by a name.
func below(path, name []byte) []byte {
	path = binary.BigEndian.AppendUint32(slices.Clip(path), uint32(len(name)))
	return append(path, name...)
}

// named returns the description of a bucket in this one, which need not exist.
func (b bucket) named(name []byte) bucket {
	return bucket{path: below(b.path, name), sealed: b.sealed || string(name) == string(bucketSlots), head: b.head}
}

// child returns a bucket in this one.
func (b bucket) child(name []byte) bucket {
	c := b.named(name)
	if b.bolt != nil {
		c.bolt = b.bolt.Bucket(name)
	}
	return c
}

// made returns a bucket in this one, and creates it if it is missing.
func (b bucket) made(name []byte) (bucket, error) {
	c := b.named(name)
	var err error
	c.bolt, err = b.bolt.CreateBucketIfNotExists(name)
	return c, err
}

func (b bucket) digest(key, value []byte) []byte {
	h := sha256.New()
	h.Write(below(b.path, key))
	if n := len(value) - sealedTail; b.sealed && n > sealedHead {
		h.Write(value[:sealedHead])
		value = value[n:]
	}
	h.Write(value)
	return h.Sum(nil)
}

// get returns the value of a key, or nil. The value is valid during the transaction.
func (b bucket) get(key []byte) ([]byte, error) {
	if b.bolt == nil {
		return nil, nil
	}
	v := b.bolt.Get(key)
	if v == nil {
		return nil, nil
	}
	value, digest, err := split(v)
	if err == nil && !bytes.Equal(digest, b.digest(key, value)) {
		err = damagef("the entry %q in %q is not what was written", key, b.path)
	}
	return value, err
}

// split returns a value and the digest after it.
func split(v []byte) (value, digest []byte, err error) {
	n := len(v) - digestSize
	if n < 0 {
		return nil, nil, damagef("an entry has %d bytes, without a digest", len(v))
	}
	return v[:n:n], v[n:], nil
}

// put writes a value. The bucket owns the slice from then on, with its capacity.
func (b bucket) put(key, value []byte) error {
	if old := b.bolt.Get(key); old != nil {
		_, digest, err := split(old)
		if err != nil {
			return err
		}
		b.head.remove(digest)
	}
	digest := b.digest(key, value)
	b.head.add(digest)
	return b.bolt.Put(key, append(value, digest...))
}

// drop deletes a bucket in this one with all its entries, if it exists.
func (b bucket) drop(name []byte) error {
	c := b.child(name)
	if !c.exists() {
		return nil
	}
	if err := c.each(func(_ bucket, _, digest []byte) error { b.head.remove(digest); return nil }); err != nil {
		return err
	}
	return b.bolt.DeleteBucket(name)
}

// move moves in a bucket whose entries were not counted before.
func (b bucket) move(name []byte, from bucket) error {
	if err := from.bolt.MoveBucket(name, b.bolt); err != nil {
		return err
	}
	return b.child(name).each(func(_ bucket, _, digest []byte) error { b.head.add(digest); return nil })
}

// each calls f with the entries of the bucket and of the buckets in it, and their digests as
// stored.
func (b bucket) each(f func(in bucket, key, digest []byte) error) error {
	return b.bolt.ForEach(func(key, v []byte) error {
		if v == nil {
			return b.child(key).each(f)
		}
		_, digest, err := split(v)
		if err != nil {
			return err
		}
		return f(b, key, digest)
	})
}

func putEntry(b bucket, key, data []byte) error {
	e, err := b.made(key)
	if err != nil {
		return err
	}
	return e.put(keyData, data)
}

// entry returns the parts of the entry under a key, or nil. They are valid during the
// transaction.
func entry(b bucket, key []byte) (parts [][]byte, err error) {
	e := b.child(key)
	if v, err := e.get(keyData); v != nil || err != nil {
		return [][]byte{v}, err
	}
	for part := uint32(0); ; part++ {
		p := e.child(partKey(part))
		if !p.exists() {
			return parts, nil
		}
		v, err := p.get(keyData)
		if err != nil {
			return nil, err
		}
		parts = append(parts, v)
	}
}

// partKey returns the key of a part of a long entry. Each part is a bucket in that of the
// entry.
func partKey(part uint32) []byte { return binary.BigEndian.AppendUint32(nil, part) }

// eachEntry calls f with all entries in order, until f returns an error.
func eachEntry(b bucket, f func(key []byte, parts [][]byte) error) error {
	if !b.exists() {
		return nil
	}
	return b.bolt.ForEach(func(key, v []byte) error {
		if v != nil {
			return damagef("%q has an entry in the place of a bucket", b.path)
		}
		parts, err := entry(b, key)
		if err != nil {
			return err
		}
		return f(key, parts)
	})
}
