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

// Apply saves the writes and decisions of one step of the protocol. It returns when they are on
// disk.
func (st *RunState) Apply(writes []consensus.Write, decisions []*consensus.Decision) error {
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
	if err := st.stage(puts); err != nil {
		return err
	}
	err := st.store.update(func(root bucket) error { return st.enterAll(root, puts) })
	if err != nil {
		return err
	}
	for _, w := range writes {
		if w.Name == consensus.Forget {
			if err := st.store.keys.destroy(w.Slot); err != nil {
				return err
			}
		}
	}
	return nil
}

func forget(b bucket, slot uint64) error {
	prefix := slotKey(slot, "")
	var keys [][]byte
	c := b.bolt.Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		keys = append(keys, bytes.Clone(k))
	}
	for _, k := range keys {
		if err := b.drop(k); err != nil {
			return err
		}
	}
	return nil
}

// slotKey returns the key of an entry, which orders entries by slot.
func slotKey(slot uint64, name string) []byte {
	return append(binary.BigEndian.AppendUint64(nil, slot), name...)
}

// name returns the name that a sealed entry is bound to.
func (st *RunState) name(slot uint64, name string) []byte {
	return append(bytes.Clone(st.ID[:]), slotKey(slot, name)...)
}

// Decision returns the decision of a slot, or nil if the log does not have it.
func (st *RunState) Decision(slot uint64) (*consensus.Decision, error) {
	return st.decision(func(c *bbolt.Cursor) []byte {
		key := slotKey(slot, "")
		if k, _ := c.Seek(key); bytes.Equal(k, key) {
			return k
		}
		return nil
	})
}

// Each calls f with every decision in order, until f returns an error. No transaction is open
// during the calls.
func (st *RunState) Each(f func(*consensus.Decision) error) error {
	for from := uint64(0); ; {
		d, err := st.decision(func(c *bbolt.Cursor) []byte {
			k, _ := c.Seek(slotKey(from, ""))
			return k
		})
		if err != nil || d == nil {
			return err
		}
		if err := f(d); err != nil {
			return err
		}
		from = d.Slot + 1
	}
}

// decision returns the decision at the key that find returns, or nil.
func (st *RunState) decision(find func(*bbolt.Cursor) []byte) (*consensus.Decision, error) {
	var key, found []byte
	err := st.store.view(func(root bucket) error {
		log := st.bucket(root).child(bucketLog)
		if !log.exists() {
			return nil
		}
		if key = bytes.Clone(find(log.bolt.Cursor())); key == nil {
			return nil
		}
		parts, err := entry(log, key)
		found = slices.Concat(parts...)
		return err
	})
	if err != nil || key == nil {
		return nil, err
	}
	d, err := wire.UnmarshalDecision(found, st.ranks)
	if err == nil && !bytes.Equal(key, slotKey(d.Slot, "")) {
		err = fmt.Errorf("slot %d is stored in the place of another", d.Slot)
	}
	if err != nil {
		return nil, st.Damage(fmt.Sprintf("log: %v", err))
	}
	return d, nil
}

// Damage returns an error which says that the state does not hold what was written.
func (st *RunState) Damage(what string) error { return &DamageError{st.store.path, what} }

// Saved returns the stored data for consensus.Resume.
func (st *RunState) Saved() (saved consensus.Saved, err error) {
	saved.Last, err = st.decision(func(c *bbolt.Cursor) []byte {
		k, _ := c.Last()
		return k
	})
	if err != nil {
		return saved, err
	}
	saved.Slots = map[uint64]map[string][]byte{}
	return saved, st.store.view(func(root bucket) error {
		slots := st.bucket(root).child(bucketSlots)
		return eachEntry(slots, func(k []byte, v [][]byte) error { return st.enter(saved, k, v) })
	})
}

// Entry returns an entry of a slot, or nil if it does not exist any more.
func (st *RunState) Entry(slot uint64, name string) (data []byte, err error) {
	err = st.store.view(func(root bucket) error {
		if !st.store.keys.has(slot) {
			return nil
		}
		parts, err := entry(st.bucket(root).child(bucketSlots), slotKey(slot, name))
		if err == nil && parts != nil {
			data, err = st.unseal(slot, name, parts)
		}
		return err
	})
	return data, err
}

// enter decrypts an entry into saved. It skips an entry of a decided slot whose key is
// destroyed, since that entry is useless.
func (st *RunState) enter(saved consensus.Saved, k []byte, parts [][]byte) error {
	if len(k) < 8 {
		return damagef("an entry has a key of %d bytes", len(k))
	}
	slot, name := binary.BigEndian.Uint64(k), string(k[8:])
	if saved.Last != nil && slot <= saved.Last.Slot && !st.store.keys.has(slot) {
		return nil
	}
	if len(parts) == 0 {
		return damagef("entry %q of slot %d is empty", name, slot)
	}
	data, err := st.unseal(slot, name, parts)
	if err != nil {
		return err
	}
	if saved.Slots[slot] == nil {
		saved.Slots[slot] = map[string][]byte{}
	}
	saved.Slots[slot][name] = data
	return nil
}

// unseal decrypts and joins the parts of an entry.
func (st *RunState) unseal(slot uint64, name string, parts [][]byte) ([]byte, error) {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	data := make([]byte, 0, size)
	for i, part := range parts {
		opened, err := st.store.keys.open(slot, partName(st.name(slot, name), i, len(parts)), part)
		if err != nil {
			return nil, fmt.Errorf("entry %q of slot %d: %w", name, slot, err)
		}
		data = append(data, opened...)
	}
	return data, nil
}
