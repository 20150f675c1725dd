package store

import (
	"bytes"
	"errors"
)

// errSigned reports that a process has signed another roster already.
var errSigned = errors.New("this process has signed another roster already: restart it to sign a new one")

// SignRoster records that the process with the given nonce signs a roster, given by its
// canonical bytes. Signing the same roster again is not an error. SignRoster returns when the
// record is on disk, so the signature may then leave.
func (s *Store) SignRoster(process [32]byte, roster []byte) error {
	return s.update(func(root bucket) error {
		b := root.child(bucketRosters)
		old, err := b.get(process[:])
		switch {
		case err != nil:
			return err
		case old == nil:
			return b.put(process[:], bytes.Clone(roster))
		case !bytes.Equal(old, roster):
			return errSigned
		}
		return nil
	})
}

// Roster returns the roster that the process has signed, or nil.
func (s *Store) Roster(process [32]byte) (roster []byte, err error) {
	err = s.view(func(root bucket) error {
		v, err := root.child(bucketRosters).get(process[:])
		roster = bytes.Clone(v)
		return err
	})
	return roster, err
}
