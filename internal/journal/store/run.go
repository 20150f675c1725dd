package store

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/collabdict/collabdict/internal/wire"
)

// A Run is what a process needs to continue a run that an earlier process of the same
// participant has begun.
type Run struct {
	ID         [32]byte `json:"id"`
	Consortium [32]byte `json:"consortium"`
	Self       int      `json:"self"`
	Members    []Member `json:"members"`  // in rank order: founders, then members added since
	Founders   int      `json:"founders"` // number of members at the start of the run
	Secret     [32]byte `json:"secret"`   // random, for the run's first collectives
	Over       string   `json:"over,omitempty"`
	Head       []byte   `json:"head,omitempty"` // of the participant's journal when the run began or was over
}

// A Member is a member of a run's roster.
type Member struct {
	Name    string   `json:"name"`
	ID      []byte   `json:"id"`
	Process [32]byte `json:"process"`        // process that has signed the roster
	Addrs   []string `json:"addrs"`          // last known addresses
	Came    bool     `json:"came,omitempty"` // whether it was added to the roster and has taken part
}

// A Journal is the stored data of one run.
type Journal struct {
	Run
	store *Store
	ranks int // above any rank that its log names
}

// Begin saves a run as the last one of this participant. It destroys the secrets of earlier
// runs, and drops their logs, which nobody can ask for any more. The file reuses their space,
// so it is as long as its longest run needs.
func (s *Store) Begin(r Run) (*Journal, error) {
	if err := s.keys.destroyAll(); err != nil {
		return nil, err
	}
	j := newJournal(s, r)
	return j, s.update(func(root bucket) error {
		if err := dropEarlier(root); err != nil {
			return err
		}
		if err := root.child(bucketMeta).put(keyLast, bytes.Clone(r.ID[:])); err != nil {
			return err
		}
		return j.put(root)
	})
}

// dropEarlier drops the entries and logs of all earlier runs, and keeps the record that they
// existed.
func dropEarlier(root bucket) error {
	if err := dropStaged(root); err != nil {
		return err
	}
	runs := root.child(bucketRuns)
	return runs.in.ForEachBucket(func(id []byte) error {
		run := runs.child(id)
		return errors.Join(run.drop(bucketSlots), run.drop(bucketLog))
	})
}

func newJournal(s *Store, r Run) *Journal {
	return &Journal{Run: r, store: s, ranks: len(r.Members) + wire.ToCome}
}

// Last returns the journal of the participant's last run, or nil.
func (s *Store) Last() (j *Journal, err error) {
	err = s.view(func(root bucket) error {
		id, err := root.child(bucketMeta).get(keyLast)
		if err != nil || id == nil {
			return err
		}
		r, err := read(root, id)
		j = newJournal(s, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	return j, nil
}

// Of returns the journal of a run that this participant has begun, or nil.
func (s *Store) Of(run [32]byte) (j *Journal, err error) {
	if !s.Knows(run) {
		return nil, nil
	}
	return j, s.view(func(root bucket) error {
		r, err := read(root, run[:])
		j = newJournal(s, r)
		return err
	})
}

// Knows reports whether this participant has begun a run.
func (s *Store) Knows(run [32]byte) (known bool) {
	_ = s.view(func(root bucket) error {
		known = root.child(bucketRuns).child(run[:]).exists()
		return nil
	})
	return known
}

// Over returns why this participant's part in a run is over, or "" if it is not.
func (s *Store) Over(run [32]byte) (why string) {
	_ = s.view(func(root bucket) error {
		r, err := read(root, run[:])
		why = r.Over
		return err
	})
	return why
}

func read(root bucket, id []byte) (r Run, err error) {
	b, err := root.child(bucketRuns).child(id).get(keyRun)
	if err != nil {
		return r, err
	}
	if b == nil {
		return r, damagef("its run %x is missing", id)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return r, damagef("run %x: %v", id, err)
	}
	if !bytes.Equal(r.ID[:], id) {
		return r, damagef("run %x is stored under another ID", id)
	}
	return r, nil
}

// End records that this participant's part in the run is over, and why. It destroys the run's
// secrets.
func (j *Journal) End(why string) error {
	err := j.store.update(func(root bucket) error {
		j.Run.Over = why
		if err := dropStaged(root); err != nil {
			return err
		}
		if b := j.in(root); b.exists() {
			if err := b.drop(bucketSlots); err != nil {
				return err
			}
		}
		return j.put(root)
	})
	return errors.Join(err, j.store.keys.destroyAll())
}

// Extend saves new members of the roster. All members are given, in rank order; those saved
// already stay unchanged.
func (j *Journal) Extend(all []Member) error {
	if len(all) <= len(j.Members) {
		return nil
	}
	return j.store.update(func(root bucket) error {
		j.Members = append(j.Members, all[len(j.Members):]...)
		return j.put(root)
	})
}

// Came records that an added member has taken part.
func (j *Journal) Came(rank int) error {
	return j.store.update(func(root bucket) error {
		if rank >= len(j.Members) { // the member could not be saved before
			return nil
		}
		j.Members[rank].Came = true
		return j.put(root)
	})
}

// Reached saves the present addresses of a member.
func (j *Journal) Reached(rank int, addrs []string) error {
	return j.store.update(func(root bucket) error {
		if rank >= len(j.Members) { // the member could not be saved before
			return nil
		}
		j.Members[rank].Addrs = addrs
		return j.put(root)
	})
}

func (j *Journal) put(root bucket) error {
	b, err := j.made(root)
	if err != nil {
		return err
	}
	v, err := json.Marshal(j.Run)
	if err != nil {
		return err
	}
	return b.put(keyRun, v)
}

// in returns the run's bucket.
func (j *Journal) in(root bucket) bucket { return root.child(bucketRuns).child(j.ID[:]) }

func (j *Journal) made(root bucket) (bucket, error) { return root.child(bucketRuns).made(j.ID[:]) }
