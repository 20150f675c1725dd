package store

import (
	"bytes"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// ErrSigned says that a process has signed another roster already.
var ErrSigned = errors.New("this process has signed another roster already: restart it to sign a new one")

// SignRoster records that the process, named by its nonce, signs a roster given
// by its canonical bytes. Signing the same one again is no error. It returns when
// the record is on disk, so the signature may leave.
func (s *Store) SignRoster(process [32]byte, roster []byte) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketRosters)
		if old := b.Get(process[:]); old != nil {
			if bytes.Equal(old, roster) {
				return nil
			}
			return ErrSigned
		}
		if err := b.Put(process[:], roster); err != nil {
			return fmt.Errorf("state.db: %w", err)
		}
		return nil
	})
}

// Roster returns what the process has signed, or nil.
func (s *Store) Roster(process [32]byte) (roster []byte, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		roster = bytes.Clone(tx.Bucket(bucketRosters).Get(process[:]))
		return nil
	})
	return roster, err
}
