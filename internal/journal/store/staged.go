package store

import (
	"encoding/binary"

	"github.com/collabdict/collabdict/consensus"
)

// A transaction of bbolt buffers each write twice. So long entries are cut into parts. Parts that
// do not fit into the last transaction are written before it, one by one, to a bucket that the head
// does not count. The last transaction moves them to their place. Their digests are already those
// of that place.

// partSize is the most bytes of an entry in one transaction.
const partSize = 2 << 20

var bucketStaged = []byte("staged")

// put is a write to a bucket.
type put struct {
	consensus.Write
	in []byte
}

func (p put) forgets() bool { return string(p.in) == string(bucketSlots) && p.Name == consensus.Forget }

func (p put) long() bool { return p.Size() > partSize }

func (p put) parts() int { return max(1, (p.Size()+partSize-1)/partSize) }

// part returns a part as it is written, in the given room. Parts of slots are encrypted.
func (st *RunState) part(p put, i int, room []byte) ([]byte, error) {
	from, to := i*partSize, min((i+1)*partSize, p.Size())
	if string(p.in) == string(bucketLog) {
		return p.Append(room[:0], from, to), nil
	}
	data := p.Append(room[:sealedHead], from, to)
	return st.store.keys.seal(p.Slot, partName(st.name(p.Slot, p.Name), i, p.parts()), data)
}

// roomFor returns a buffer for a part of an entry.
func roomFor(p put) []byte {
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
	var room []byte // its contents are on disk before the next part is written
	for _, p := range puts {
		for i := 0; p.long() && i < p.parts(); i++ {
			if room == nil {
				room = roomFor(p)
			}
			part, err := st.part(p, i, room)
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
	return root.in.DeleteBucket(bucketStaged)
}

// staged returns the bucket of parts that will be moved to the run's bucket of that name.
func (st *RunState) staged(root bucket, name []byte) (bucket, error) {
	b, err := root.made(bucketStaged)
	if err == nil {
		b, err = b.made(name)
	}
	to := st.in(root).named(name)
	to.in, to.head = b.in, &head{}
	return to, err
}

func (st *RunState) putPart(root bucket, p put, i int, part []byte) error {
	b, err := st.staged(root, p.in)
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
		b, err := run.made(p.in)
		if err == nil {
			b.in.FillPercent = 1 // slots come in order, so nothing is inserted between two
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
		from, err := st.staged(root, p.in)
		if err != nil {
			return err
		}
		return b.move(key, from)
	}
	if e := b.child(key); e.exists() && e.in.Get(keyData) == nil { // there was a long entry
		if err := b.drop(key); err != nil {
			return err
		}
	}
	data, err := st.part(p, 0, roomFor(p))
	if err != nil {
		return err
	}
	return putEntry(b, key, data)
}
