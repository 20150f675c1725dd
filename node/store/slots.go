package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/collabdict/collabdict/consensus"
)

// Record says who took part in a slot that was opened.
type Record struct {
	Slot    uint64   `json:"slot"`
	Kind    string   `json:"kind"`
	Round   uint32   `json:"round"`
	Invited []string `json:"invited"` // the members of the view, by rank
	Sum     []string `json:"sum"`     // those whose contribution is in the result
	Digest  [32]byte `json:"digest"`  // of the result
}

// Apply makes the writes of one step of the protocol durable, and with them the
// slot's record if the step opened it. It returns when they are on disk.
func (s *Store) Apply(run [32]byte, writes []consensus.Write, record *Record) error {
	if len(writes) == 0 && record == nil {
		return nil
	}
	err := s.db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.Bucket(bucketRuns).CreateBucketIfNotExists(run[:])
		if err != nil {
			return err
		}
		if err := putWrites(b, writes); err != nil || record == nil {
			return err
		}
		return putRecord(b, record)
	})
	if err != nil {
		return fmt.Errorf("state.db: %w", err)
	}
	return nil
}

func putWrites(run *bbolt.Bucket, writes []consensus.Write) error {
	b, err := run.CreateBucketIfNotExists(bucketWrites)
	if err != nil {
		return err
	}
	for _, w := range writes {
		if err := b.Put(writeKey(w), w.Digest[:]); err != nil {
			return err
		}
	}
	return nil
}

func putRecord(run *bbolt.Bucket, r *Record) error {
	b, err := run.CreateBucketIfNotExists(bucketRecords)
	if err != nil {
		return err
	}
	v, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return b.Put(binary.BigEndian.AppendUint64(nil, r.Slot), v)
}

// writeKey orders writes by slot, ballot and step.
func writeKey(w consensus.Write) []byte {
	k := binary.BigEndian.AppendUint64(nil, w.Slot)
	k = binary.BigEndian.AppendUint32(k, w.Ballot)
	return append(k, byte(w.Kind))
}

// Writes returns the steps recorded for a run, by slot, ballot and step.
func (s *Store) Writes(run [32]byte) (writes []consensus.Write, err error) {
	err = s.each(run, bucketWrites, func(k, v []byte) error {
		if len(k) != 13 || len(v) != 32 {
			return fmt.Errorf("state.db is damaged: a write with a key of %d and a value of %d bytes", len(k), len(v))
		}
		writes = append(writes, consensus.Write{
			Slot: binary.BigEndian.Uint64(k), Ballot: binary.BigEndian.Uint32(k[8:]),
			Kind: consensus.WriteKind(k[12]), Digest: [32]byte(v),
		})
		return nil
	})
	return writes, err
}

// Records returns the records of a run's opened slots, in order.
func (s *Store) Records(run [32]byte) (records []Record, err error) {
	err = s.each(run, bucketRecords, func(_, v []byte) error {
		var r Record
		if err := json.Unmarshal(v, &r); err != nil {
			return fmt.Errorf("state.db is damaged: record %d: %w", len(records), err)
		}
		records = append(records, r)
		return nil
	})
	return records, err
}

func (s *Store) each(run [32]byte, name []byte, visit func(k, v []byte) error) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketRuns).Bucket(run[:])
		if b == nil {
			return nil
		}
		if b = b.Bucket(name); b == nil {
			return nil
		}
		return b.ForEach(visit)
	})
}
