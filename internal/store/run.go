package store

import (
	"encoding/json"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/collabdict/collabdict/internal/wire"
)

// Run is what a process needs to go on with a run that an earlier process of the
// same participant has begun.
type Run struct {
	ID         [32]byte `json:"id"`
	Consortium [32]byte `json:"consortium"`
	Self       int      `json:"self"`
	Members    []Member `json:"members"`  // in rank order: of the roster, and who has come since
	Founders   int      `json:"founders"` // members of the roster that the run has begun with
	Secret     [32]byte `json:"secret"`   // drawn for the run's first collectives
	Over       string   `json:"over,omitempty"`
}

// Member is a member of a run's roster.
type Member struct {
	Name    string   `json:"name"`
	ID      []byte   `json:"id"`
	Process [32]byte `json:"process"`        // that has signed the roster
	Addrs   []string `json:"addrs"`          // where it was last reached
	Came    bool     `json:"came,omitempty"` // was added to the roster and has taken part
}

// Journal is what is kept of one run.
type Journal struct {
	Run
	store *Store
	ranks int // more than any that its log names
}

// Begin makes a run the last one of this participant. The secrets of earlier ones
// are destroyed.
func (s *Store) Begin(r Run) (*Journal, error) {
	if err := s.keys.destroyAll(); err != nil {
		return nil, err
	}
	j := &Journal{Run: r, store: s, ranks: len(r.Members) + wire.ToCome}
	return j, s.update(func(tx *bbolt.Tx) error {
		if err := tx.Bucket(bucketMeta).Put(keyLast, r.ID[:]); err != nil {
			return err
		}
		return j.put(tx)
	})
}

// Last returns the journal of the participant's last run, or nil.
func (s *Store) Last() (j *Journal, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		id := tx.Bucket(bucketMeta).Get(keyLast)
		if id == nil {
			return nil
		}
		r, err := read(tx, id)
		j = &Journal{Run: r, store: s, ranks: len(r.Members) + wire.ToCome}
		return err
	})
	if err != nil {
		return nil, err
	}
	return j, nil
}

// Knows reports whether this participant has begun a run.
func (s *Store) Knows(run [32]byte) (known bool) {
	_ = s.db.View(func(tx *bbolt.Tx) error {
		known = tx.Bucket(bucketRuns).Bucket(run[:]) != nil
		return nil
	})
	return known
}

// Over reports whether a run is known to be over here, and why.
func (s *Store) Over(run [32]byte) (why string) {
	_ = s.db.View(func(tx *bbolt.Tx) error {
		r, err := read(tx, run[:])
		why = r.Over
		return err
	})
	return why
}

func read(tx *bbolt.Tx, id []byte) (r Run, err error) {
	b := tx.Bucket(bucketRuns).Bucket(id)
	if b == nil {
		return r, errors.New("state.db: no such run")
	}
	if err := json.Unmarshal(b.Get(keyRun), &r); err != nil {
		return r, fmt.Errorf("state.db is damaged: run %x: %w", id[:4], err)
	}
	return r, nil
}

// End notes that the run is over here, and why, and destroys its secrets.
func (j *Journal) End(why string) error {
	err := j.store.update(func(tx *bbolt.Tx) error {
		j.Run.Over = why
		b, err := j.bucket(tx)
		for _, secret := range [][]byte{bucketSlots, bucketStaged} {
			if err == nil && b.Bucket(secret) != nil {
				err = b.DeleteBucket(secret)
			}
		}
		if err != nil {
			return err
		}
		return j.put(tx)
	})
	return errors.Join(err, j.store.keys.destroyAll())
}

// Extend notes who has come to the roster; all members are given, in rank
// order. Those that are noted already stay as they are.
func (j *Journal) Extend(all []Member) error {
	if len(all) <= len(j.Members) {
		return nil
	}
	return j.store.update(func(tx *bbolt.Tx) error {
		j.Members = append(j.Members, all[len(j.Members):]...)
		return j.put(tx)
	})
}

// Came notes that a member that was added to the roster has taken part.
func (j *Journal) Came(rank int) error {
	return j.store.update(func(tx *bbolt.Tx) error {
		if rank >= len(j.Members) { // it could not be noted
			return nil
		}
		j.Members[rank].Came = true
		return j.put(tx)
	})
}

// Reached notes where a member can be reached now.
func (j *Journal) Reached(rank int, addrs []string) error {
	return j.store.update(func(tx *bbolt.Tx) error {
		if rank >= len(j.Members) { // it could not be noted
			return nil
		}
		j.Members[rank].Addrs = addrs
		return j.put(tx)
	})
}

func (j *Journal) put(tx *bbolt.Tx) error {
	b, err := j.bucket(tx)
	if err != nil {
		return err
	}
	v, err := json.Marshal(j.Run)
	if err != nil {
		return err
	}
	return b.Put(keyRun, v)
}

func (j *Journal) bucket(tx *bbolt.Tx) (*bbolt.Bucket, error) {
	return tx.Bucket(bucketRuns).CreateBucketIfNotExists(j.ID[:])
}

// update runs a transaction, which is on disk when it returns.
func (s *Store) update(f func(tx *bbolt.Tx) error) error {
	if err := s.db.Update(f); err != nil {
		return fmt.Errorf("state.db: %w", err)
	}
	return nil
}
