package store

import (
	"encoding/binary"

	"github.com/collabdict/collabdict/consensus"
)

// bbolt holds in memory, twice, what a transaction writes. So long entries are cut into parts, and
// written before the last transaction, one transaction each, to the bucket "staged". The file's
// head (count and digests of all entries) leaves them out. The last transaction moves them to
// their place, and then the head counts them. A digest covers the path of its entry, so parts are
// written with the path they will have.

// partSize is the most bytes of an entry in one transaction.
const partSize = 2 << 20

var bucketStaged = []byte("staged")

// put is a write to a bucket.
type put struct {
	consensus.Write
	target []byte // name of the bucket in the run's: bucketSlots or bucketLog
}

func (p put) forgets() bool {
	return string(p.target) == string(bucketSlots) && p.Name == consensus.Forget
}

func (p put) long() bool { return p.Size() > partSize }

func (p put) parts() int { return max(1, (p.Size()+partSize-1)/partSize) }

// part returns a part as it is written, in the given buffer. Parts of slots are encrypted.
func (st *RunState) part(p put, i int, buffer []byte) ([]byte, error) {
	from, to := i*partSize, min((i+1)*partSize, p.Size())
	if string(p.target) == string(bucketLog) {
		return p.Append(buffer[:0], from, to), nil
	}
	data := p.Append(buffer[:sealedHead], from, to)
	return st.store.keys.seal(p.Slot, partName(st.name(p.Slot, p.Name), i, p.parts()), data)
}

// bufferFor returns a buffer for a part of an entry.
func bufferFor(p put) []byte {
	return make([]byte, sealedHead+min(p.Size(), partSize)+sealedTail+digestSize)
}

// partName returns the name that a part of an entry is bound to. If there is only one part,
// that is the name of the entry.
func partName(name []byte, i, parts int) []byte {
	if parts == 1 {
		return name
	}
	name = binary.BigEndian.AppendUint32(append(name, "/part/"...), uint32(i))
	return binary.BigEndian.AppendUint32(name, uint32(parts))
}

// stage writes the parts of long entries, each in its own transaction. It first drops the parts
// that an earlier process has left.
func (st *RunState) stage(puts []put) error {
	first := true
	// Every long entry has full parts first, so one size fits all. A part is on disk before the next
	// one overwrites it.
	var buffer []byte
	for _, p := range puts {
		for i := 0; p.long() && i < p.parts(); i++ {
			if buffer == nil {
				buffer = bufferFor(p)
			}
			part, err := st.part(p, i, buffer)
			if err != nil {
				return err
			}
			err = st.store.update(func(root bucket) error {
				if first {
					if err := dropStaged(root); err != nil {
						return err
					}
				}
				return st.putPart(root, p, i, part)
			})
			if err != nil {
				return err
			}
			first = false
		}
	}
	return nil
}

// dropStaged drops the staged parts, which the head has never counted.
func dropStaged(root bucket) error {
	if !root.child(bucketStaged).exists() {
		return nil
	}
	return root.bolt.DeleteBucket(bucketStaged)
}

// stagedFor returns the staged bucket that stands in for a bucket of the run. It has that bucket's
// path, and a head of its own that nobody keeps.
func (st *RunState) stagedFor(root bucket, name []byte) (bucket, error) {
	b, err := root.made(bucketStaged)
	if err == nil {
		b, err = b.made(name)
	}
	to := st.bucket(root).named(name)
	to.bolt, to.head = b.bolt, &head{}
	return to, err
}

func (st *RunState) putPart(root bucket, p put, i int, part []byte) error {
	b, err := st.stagedFor(root, p.target)
	if err == nil {
		b, err = b.made(slotKey(p.Slot, p.Name))
	}
	if err != nil {
		return err
	}
	return putEntry(b, partKey(uint32(i)), part)
}

// enterAll makes the writes in their order, and moves long entries to their place.
func (st *RunState) enterAll(root bucket, puts []put) error {
	run, err := st.made(root)
	if err != nil {
		return err
	}
	for _, p := range puts {
		b, err := run.made(p.target)
		if err == nil {
			b.bolt.FillPercent = 1 // slots come in order, so nothing is inserted between two
			err = st.enterOne(root, b, p)
		}
		if err != nil {
			return err
		}
	}
	return dropStaged(root)
}

func (st *RunState) enterOne(root, b bucket, p put) error {
	key := slotKey(p.Slot, p.Name)
	switch {
	case p.forgets():
		return forget(b, p.Slot)
	case p.Data == nil:
		return b.drop(key)
	case p.long():
		if err := b.drop(key); err != nil {
			return err
		}
		from, err := st.stagedFor(root, p.target)
		if err != nil {
			return err
		}
		return b.move(key, from)
	}
	if e := b.child(key); e.exists() && e.bolt.Get(keyData) == nil { // there was a long entry
		if err := b.drop(key); err != nil {
			return err
		}
	}
	data, err := st.part(p, 0, bufferFor(p))
	if err != nil {
		return err
	}
	return putEntry(b, key, data)
}
