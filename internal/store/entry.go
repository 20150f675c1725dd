package store

import (
	"encoding/binary"

	"go.etcd.io/bbolt"
)

// Every entry is in a bucket of its own. bbolt writes anew the whole leaf that a key
// is in, with up to three keys beside it, however long their values are: a small
// entry among vectors would cost a few of them each time.

var keyData = []byte("data")

func putEntry(b *bbolt.Bucket, key, data []byte) error {
	entry, err := b.CreateBucketIfNotExists(key)
	if err != nil {
		return err
	}
	return entry.Put(keyData, data)
}

// entry returns the parts of what is under a key, or nil. They are valid in its
// transaction.
func entry(b *bbolt.Bucket, key []byte) (parts [][]byte) {
	e := b.Bucket(key)
	if e == nil {
		return nil
	}
	if v := e.Get(keyData); v != nil {
		return [][]byte{v}
	}
	for part := uint32(0); ; part++ {
		p := e.Bucket(partKey(part))
		if p == nil {
			return parts
		}
		parts = append(parts, p.Get(keyData))
	}
}

// partKey orders the parts of a long entry, each a bucket in that of the entry.
func partKey(part uint32) []byte { return binary.BigEndian.AppendUint32(nil, part) }

func deleteEntry(b *bbolt.Bucket, key []byte) error {
	if b.Bucket(key) == nil {
		return nil
	}
	return b.DeleteBucket(key)
}

// eachEntry calls f with all entries in order, until that returns an error.
func eachEntry(b *bbolt.Bucket, f func(key []byte, parts [][]byte) error) error {
	return b.ForEachBucket(func(key []byte) error { return f(key, entry(b, key)) })
}
