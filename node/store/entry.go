package store

import "go.etcd.io/bbolt"

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

// entry returns what is under a key, or nil. It is valid in its transaction.
func entry(b *bbolt.Bucket, key []byte) []byte {
	if e := b.Bucket(key); e != nil {
		return e.Get(keyData)
	}
	return nil
}

func deleteEntry(b *bbolt.Bucket, key []byte) error {
	if b.Bucket(key) == nil {
		return nil
	}
	return b.DeleteBucket(key)
}

// eachEntry calls f with all entries in order, until that returns an error.
func eachEntry(b *bbolt.Bucket, f func(key, data []byte) error) error {
	return b.ForEachBucket(func(key []byte) error { return f(key, entry(b, key)) })
}
