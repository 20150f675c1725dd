package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire"
)

// Apply makes the writes and decisions of one step of the protocol durable. It
// returns when they are on disk.
func (j *Journal) Apply(writes []consensus.Write, decisions []*consensus.Decision) error {
	if len(writes) == 0 && len(decisions) == 0 {
		return nil
	}
	var puts []put
	for _, w := range writes {
		puts = append(puts, put{w, bucketSlots})
	}
	for _, d := range decisions {
		puts = append(puts, put{wire.MarshalDecision(d), bucketLog})
	}
	if err := j.stage(puts); err != nil {
		return err
	}
	err := j.store.update(func(tx *bbolt.Tx) error {
		b, err := j.bucket(tx)
		if err != nil {
			return err
		}
		return j.enterAll(b, puts)
	})
	if err != nil {
		return err
	}
	for _, w := range writes {
		if w.Name == consensus.Forget {
			if err := j.store.keys.destroy(w.Slot); err != nil {
				return err
			}
		}
	}
	return nil
}

func forget(b *bbolt.Bucket, slot uint64) error {
	prefix := slotKey(slot, "")
	var keys [][]byte
	c := b.Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		keys = append(keys, bytes.Clone(k))
	}
	for _, k := range keys {
		if err := deleteEntry(b, k); err != nil {
			return err
		}
	}
	return nil
}

// slotKey orders entries by slot.
func slotKey(slot uint64, name string) []byte {
	return append(binary.BigEndian.AppendUint64(nil, slot), name...)
}

// name is what a sealed entry is bound to.
func (j *Journal) name(slot uint64, name string) []byte {
	return append(bytes.Clone(j.ID[:]), slotKey(slot, name)...)
}

// Decision returns a decided slot, or nil if the log does not have it.
func (j *Journal) Decision(slot uint64) (d *consensus.Decision, err error) {
	err = j.log(func(b *bbolt.Bucket) error {
		if v := entry(b, slotKey(slot, "")); v != nil {
			d, err = j.decode(v)
		}
		return err
	})
	return d, err
}

// Each calls f with every decision in order, until that returns an error.
func (j *Journal) Each(f func(*consensus.Decision) error) error {
	return j.log(func(b *bbolt.Bucket) error {
		return eachEntry(b, func(_ []byte, v [][]byte) error {
			d, err := j.decode(v)
			if err != nil {
				return err
			}
			return f(d)
		})
	})
}

func (j *Journal) decode(parts [][]byte) (*consensus.Decision, error) {
	d, err := wire.UnmarshalDecision(slices.Concat(parts...), j.ranks)
	if err != nil {
		return nil, fmt.Errorf("state.db is damaged: log: %w", err)
	}
	return d, nil
}

func (j *Journal) log(f func(b *bbolt.Bucket) error) error {
	return j.store.db.View(func(tx *bbolt.Tx) error {
		if b := tx.Bucket(bucketRuns).Bucket(j.ID[:]); b != nil && b.Bucket(bucketLog) != nil {
			return f(b.Bucket(bucketLog))
		}
		return nil
	})
}

// Saved returns what is kept of the run for consensus.Resume.
func (j *Journal) Saved() (saved consensus.Saved, err error) {
	err = j.log(func(b *bbolt.Bucket) error {
		if k, _ := b.Cursor().Last(); k != nil {
			saved.Last, err = j.decode(entry(b, k))
		}
		return err
	})
	if err != nil {
		return saved, err
	}
	saved.Slots = map[uint64]map[string][]byte{}
	return saved, j.store.db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketRuns).Bucket(j.ID[:]).Bucket(bucketSlots)
		if b == nil {
			return nil
		}
		return eachEntry(b, func(k []byte, v [][]byte) error { return j.enter(saved, k, v) })
	})
}

// Entry returns an entry of a slot, or nil if there is none any more.
func (j *Journal) Entry(slot uint64, name string) (data []byte, err error) {
	err = j.store.db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketRuns).Bucket(j.ID[:]).Bucket(bucketSlots)
		if b == nil || !j.store.keys.has(slot) {
			return nil
		}
		if parts := entry(b, slotKey(slot, name)); parts != nil {
			data, err = j.unseal(slot, name, parts)
		}
		return err
	})
	return data, err
}

// enter opens an entry. One of a slot that is decided may have lost its key
// already; it is useless then.
func (j *Journal) enter(saved consensus.Saved, k []byte, parts [][]byte) error {
	if len(k) < 8 {
		return fmt.Errorf("state.db is damaged: an entry with a key of %d bytes", len(k))
	}
	slot, name := binary.BigEndian.Uint64(k), string(k[8:])
	if saved.Last != nil && slot <= saved.Last.Slot && !j.store.keys.has(slot) {
		return nil
	}
	if len(parts) == 0 {
		return fmt.Errorf("state.db is damaged: entry %q of slot %d is empty", name, slot)
	}
	data, err := j.unseal(slot, name, parts)
	if err != nil {
		return err
	}
	if saved.Slots[slot] == nil {
		saved.Slots[slot] = map[string][]byte{}
	}
	saved.Slots[slot][name] = data
	return nil
}

// unseal puts the parts of an entry together.
func (j *Journal) unseal(slot uint64, name string, parts [][]byte) ([]byte, error) {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	data := make([]byte, 0, size)
	for i, part := range parts {
		opened, err := j.store.keys.open(slot, partName(j.name(slot, name), i, len(parts)), part)
		if err != nil {
			return nil, fmt.Errorf("entry %q of slot %d: %w", name, slot, err)
		}
		data = append(data, opened...)
	}
	return data, nil
}
