package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"go.etcd.io/bbolt"
)

// Every entry is in a bucket of its own. bbolt writes anew the whole leaf that a key
// is in, with up to three keys beside it, however long their values are: a small
// entry among vectors would cost a few of them each time.

// A digest stands after every value. It is over the value, its key and the buckets that it
// is in, so that a value at another place is damage as well. Of what is encrypted, which
// proves itself when it is opened, the nonce and the tag stand for the value: vectors are
// long.
const digestSize = sha256.Size

var keyData = []byte("data")

// head counts the entries of the file and adds their digests up: an entry that has
// vanished, or come again, is missed.
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
	in     *bbolt.Bucket
	path   []byte // the buckets that lead to it
	sealed bool   // its entries are encrypted
	head   *head  // that counts its entries; nil where nothing is written
}

func (b bucket) exists() bool { return b.in != nil }

// below returns a path that goes on by a name.
func below(path, name []byte) []byte {
	path = binary.BigEndian.AppendUint32(slices.Clip(path), uint32(len(name)))
	return append(path, name...)
}

// named returns what is known of a bucket in this one.
func (b bucket) named(name []byte) bucket {
	return bucket{path: below(b.path, name), sealed: b.sealed || string(name) == string(bucketSlots), head: b.head}
}

// child returns a bucket in this one.
func (b bucket) child(name []byte) bucket {
	c := b.named(name)
	if b.in != nil {
		c.in = b.in.Bucket(name)
	}
	return c
}

// made returns a bucket in this one, which is made if it is missing.
func (b bucket) made(name []byte) (bucket, error) {
	c := b.named(name)
	var err error
	c.in, err = b.in.CreateBucketIfNotExists(name)
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

// get returns the value of a key, or nil. It is valid in its transaction.
func (b bucket) get(key []byte) ([]byte, error) {
	if b.in == nil {
		return nil, nil
	}
	v := b.in.Get(key)
	if v == nil {
		return nil, nil
	}
	value, digest, err := split(v)
	if err == nil && !bytes.Equal(digest, b.digest(key, value)) {
		err = damagef("the entry %q in %q is not what was written", key, b.path)
	}
	return value, err
}

// split returns a value and the digest that stands after it.
func split(v []byte) (value, digest []byte, err error) {
	n := len(v) - digestSize
	if n < 0 {
		return nil, nil, damagef("an entry has %d bytes, without a digest", len(v))
	}
	return v[:n:n], v[n:], nil
}

// put writes a value, which is the bucket's from then on, with what its slice has room for.
func (b bucket) put(key, value []byte) error {
	if old := b.in.Get(key); old != nil {
		_, digest, err := split(old)
		if err != nil {
			return err
		}
		b.head.remove(digest)
	}
	digest := b.digest(key, value)
	b.head.add(digest)
	return b.in.Put(key, append(value, digest...))
}

// drop removes a bucket in this one with all its entries, if it is there.
func (b bucket) drop(name []byte) error {
	c := b.child(name)
	if !c.exists() {
		return nil
	}
	if err := c.each(func(_ bucket, _, digest []byte) error { b.head.remove(digest); return nil }); err != nil {
		return err
	}
	return b.in.DeleteBucket(name)
}

// move brings in a bucket whose entries were not counted.
func (b bucket) move(name []byte, from bucket) error {
	if err := from.in.MoveBucket(name, b.in); err != nil {
		return err
	}
	return b.child(name).each(func(_ bucket, _, digest []byte) error { b.head.add(digest); return nil })
}

// each calls f with the entries of the bucket and of those in it, and their digests as they
// stand there.
func (b bucket) each(f func(in bucket, key, digest []byte) error) error {
	return b.in.ForEach(func(key, v []byte) error {
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

// entry returns the parts of what is under a key, or nil. They are valid in its
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

// partKey orders the parts of a long entry, each a bucket in that of the entry.
func partKey(part uint32) []byte { return binary.BigEndian.AppendUint32(nil, part) }

// eachEntry calls f with all entries in order, until that returns an error.
func eachEntry(b bucket, f func(key []byte, parts [][]byte) error) error {
	if !b.exists() {
		return nil
	}
	return b.in.ForEach(func(key, v []byte) error {
		if v != nil {
			return damagef("%q has an entry at the place of a bucket", b.path)
		}
		parts, err := entry(b, key)
		if err != nil {
			return err
		}
		return f(key, parts)
	})
}
