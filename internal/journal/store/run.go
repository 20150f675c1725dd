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

// A RunState is the stored state of one run.
type RunState struct {
	Run
	store *Store
	ranks int // above any rank that its log names
}

// Begin saves a run as the last one of this participant. It destroys the secrets of earlier
// runs, and drops their logs, which nobody can ask for any more. The file reuses their space,
// so it is as long as its longest run needs.
func (s *Store) Begin(r Run) (*RunState, error) {
	if err := s.keys.destroyAll(); err != nil {
		return nil, err
	}
	st := newRunState(s, r)
	return st, s.update(func(root bucket) error {
		if err := dropEarlier(root); err != nil {
			return err
		}
		if err := root.child(bucketMeta).put(keyLast, bytes.Clone(r.ID[:])); err != nil {
			return err
		}
		return st.put(root)
	})
}

// dropEarlier drops the entries and logs of all earlier runs, and keeps the record that they
// existed.
func dropEarlier(root bucket) error {
	if err := dropStaged(root); err != nil {
		return err
	}
	runs := root.child(bucketRuns)
	return runs.bolt.ForEachBucket(func(id []byte) error {
		run := runs.child(id)
		return errors.Join(run.drop(bucketSlots), run.drop(bucketLog))
	})
}

func newRunState(s *Store, r Run) *RunState {
	return &RunState{Run: r, store: s, ranks: len(r.Members) + wire.ToCome}
}

// Last returns the state of the participant's last run, or nil.
func (s *Store) Last() (st *RunState, err error) {
	err = s.view(func(root bucket) error {
		id, err := root.child(bucketMeta).get(keyLast)
		if err != nil || id == nil {
			return err
		}
		r, err := read(root, id)
		st = newRunState(s, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	return st, nil
}

// Of returns the state of a run that this participant has begun, or nil.
func (s *Store) Of(run [32]byte) (st *RunState, err error) {
	if !s.Knows(run) {
		return nil, nil
	}
	return st, s.view(func(root bucket) error {
		r, err := read(root, run[:])
		st = newRunState(s, r)
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
func (st *RunState) End(why string) error {
	err := st.store.update(func(root bucket) error {
		st.Run.Over = why
		if err := dropStaged(root); err != nil {
			return err
		}
		if b := st.bucket(root); b.exists() {
			if err := b.drop(bucketSlots); err != nil {
				return err
			}
		}
		return st.put(root)
	})
	return errors.Join(err, st.store.keys.destroyAll())
}

// Extend saves new members of the roster. All members are given, in rank order; those saved
// already stay unchanged.
func (st *RunState) Extend(all []Member) error {
	if len(all) <= len(st.Members) {
		return nil
	}
	return st.store.update(func(root bucket) error {
		st.Members = append(st.Members, all[len(st.Members):]...)
		return st.put(root)
	})
}

// Came records that an added member has taken part.
func (st *RunState) Came(rank int) error {
	return st.store.update(func(root bucket) error {
		if rank >= len(st.Members) { // the member could not be saved before
			return nil
		}
		st.Members[rank].Came = true
		return st.put(root)
	})
}

// Reached saves the present addresses of a member.
func (st *RunState) Reached(rank int, addrs []string) error {
	return st.store.update(func(root bucket) error {
		if rank >= len(st.Members) { // the member could not be saved before
			return nil
		}
		st.Members[rank].Addrs = addrs
		return st.put(root)
	})
}

func (st *RunState) put(root bucket) error {
	b, err := st.made(root)
	if err != nil {
		return err
	}
	v, err := json.Marshal(st.Run)
	if err != nil {
		return err
	}
	return b.put(keyRun, v)
}

// bucket returns the run's bucket.
func (st *RunState) bucket(root bucket) bucket { return root.child(bucketRuns).child(st.ID[:]) }

func (st *RunState) made(root bucket) (bucket, error) { return root.child(bucketRuns).made(st.ID[:]) }
