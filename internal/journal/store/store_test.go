package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/collabdict/collabdict/consensus"
)

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// run is the stored data of a run of three members.
func run(id byte) Run {
	return Run{ID: [32]byte{id}, Consortium: [32]byte{7}, Self: 1, Secret: [32]byte{5}, Members: []Member{
		{Name: "a", ID: []byte{1}, Process: [32]byte{1}, Addrs: []string{"/ip4/127.0.0.1/tcp/1"}},
		{Name: "b", ID: []byte{2}, Process: [32]byte{2}},
		{Name: "c", ID: []byte{3}, Process: [32]byte{3}},
	}}
}

func begin(t *testing.T, s *Store, r Run) *RunState {
	t.Helper()
	st, err := s.Begin(r)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func last(t *testing.T, s *Store) *RunState {
	t.Helper()
	st, err := s.Last()
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func apply1(t *testing.T, st *RunState, decisions []*consensus.Decision, writes ...consensus.Write) {
	t.Helper()
	if err := st.Apply(writes, decisions); err != nil {
		t.Fatal(err)
	}
}

func decision(slot uint64) *consensus.Decision {
	return &consensus.Decision{
		Slot: slot, Kind: consensus.Sum, Members: []uint32{0, 2}, Missing: []consensus.Missing{{Member: 1, Reason: "slow"}},
		Total: []float64{1, float64(slot)}, Certificate: &consensus.Certificate{Ballot: 3, Votes: []consensus.SignedVote{{Member: 2, Signature: []byte{9}}}},
		Cost: consensus.Cost{Rounds: 4, Ended: 5},
	}
}

func TestAJournalSurvivesReopening(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if st := last(t, s); st != nil {
		t.Errorf("a new store has the run %+v", st.Run)
	}
	begin(t, s, run(1))
	st := begin(t, s, run(2))
	state := func(slot uint64, data string) consensus.Write {
		return consensus.Write{Slot: slot, Name: consensus.EntryState, Data: []byte(data)}
	}
	apply1(t, st, nil, state(0, "old"), consensus.Write{Slot: 0, Name: "sealed/1", Data: []byte("words")})
	apply1(t, st, nil, state(0, "new"), consensus.Write{Slot: 0, Name: "call", Data: []byte("x")})
	apply1(t, st, []*consensus.Decision{decision(0)}, state(0, "decided"), state(1, "next"), consensus.Write{Slot: 0, Name: "sealed/1"})
	apply1(t, st, []*consensus.Decision{decision(1)}, state(2, "third"), consensus.Write{Slot: 0, Name: consensus.Forget})
	if err := st.Reached(0, []string{"/ip4/127.0.0.1/tcp/2"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = open(t, dir)
	st = last(t, s)
	want := run(2)
	want.Members[0].Addrs = []string{"/ip4/127.0.0.1/tcp/2"}
	if !reflect.DeepEqual(st.Run, want) {
		t.Errorf("got the run %+v, want %+v", st.Run, want)
	}
	saved, err := st.Saved()
	if err != nil {
		t.Fatal(err)
	}
	entries := map[uint64]map[string][]byte{1: {"state": []byte("next")}, 2: {"state": []byte("third")}}
	if !reflect.DeepEqual(saved.Slots, entries) || !reflect.DeepEqual(saved.Last, decision(1)) {
		t.Errorf("got %v and %+v", saved.Slots, saved.Last)
	}
	var slots []uint64
	if err := st.Each(func(d *consensus.Decision) error { slots = append(slots, d.Slot); return nil }); err != nil || !reflect.DeepEqual(slots, []uint64{0, 1}) {
		t.Errorf("log: got %v, %v", slots, err)
	}
	if d, err := st.Decision(0); err != nil || !reflect.DeepEqual(d, decision(0)) {
		t.Errorf("slot 0: got %+v, %v", d, err)
	}
	if d, err := st.Decision(2); err != nil || d != nil {
		t.Errorf("slot 2: got %+v, %v, want nothing", d, err)
	}
	if err := st.End("all is done"); err != nil {
		t.Fatal(err)
	}
	saved, err = st.Saved()
	if err != nil || len(saved.Slots) != 0 || saved.Last == nil || s.Over([32]byte{2}) != "all is done" || s.Over([32]byte{1}) != "" || s.Over([32]byte{3}) != "" {
		t.Errorf("after the end: %v, %v, %q", saved, err, s.Over([32]byte{2}))
	}
}

// A step writes the entries that it changes, and not the vectors beside them.
func TestSmallEntriesDoNotCostTheVectorsBesideThem(t *testing.T) {
	const vector = 1 << 20
	s := open(t, t.TempDir())
	st := begin(t, s, run(1))
	long := decision(0)
	long.Total = make([]float64, vector/8)
	apply1(t, st, []*consensus.Decision{long}, consensus.Write{Slot: 1, Name: "call", Data: make([]byte, vector)})
	written := func(decisions []*consensus.Decision, w ...consensus.Write) int64 {
		before := s.db.Stats()
		apply1(t, st, decisions, w...)
		after := s.db.Stats()
		return after.TxStats.GetPageAlloc() - before.TxStats.GetPageAlloc()
	}
	if n := written(nil, consensus.Write{Slot: 1, Name: consensus.EntryState, Data: make([]byte, 100)}); n > vector/8 {
		t.Errorf("a small entry costs %d bytes", n)
	}
	if n := written([]*consensus.Decision{decision(1)}); n > vector/8 {
		t.Errorf("a small decision costs %d bytes", n)
	}
	if n := written(nil, consensus.Write{Slot: 1, Name: "sealed/0", Data: make([]byte, vector)}); n > vector+vector/8 {
		t.Errorf("a vector of %d bytes costs %d", vector, n)
	}
}

// Forgotten entries are no longer on the disk, and no entry of a slot was ever there in the
// clear. Only a key in the key file could decrypt them, and that is overwritten.
func TestSecretsOfForgottenSlotsAreGone(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	st := begin(t, s, run(1))
	pad := []byte("the secret pad of an attempt that was given up")
	for slot := range uint64(5) {
		writes := []consensus.Write{{Slot: slot, Name: consensus.EntryState, Data: pad}}
		if slot >= 2 {
			writes = append(writes, consensus.Write{Slot: slot - 2, Name: consensus.Forget})
		}
		apply1(t, st, []*consensus.Decision{decision(slot)}, writes...)
		keys := readFile(t, filepath.Join(dir, KeysFile))
		for old := range slot + 1 {
			b := binary.BigEndian.AppendUint64(nil, old+1)
			if there := bytes.Contains(keys, b); there != (old+2 > slot) {
				t.Errorf("slot %d: the key of slot %d is there: %v", slot, old, there)
			}
		}
	}
	if db := readFile(t, filepath.Join(dir, StateFile)); bytes.Contains(db, pad) || bytes.Contains(db, pad[:16]) {
		t.Error("a pad is on disk in the clear")
	}
}

// A state without its keys, or with other keys, is not resumed, because the member could then break
// promises that it has made.
func TestKeysOfAnotherTime(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"lost":  os.Remove,
		"other": func(path string) error { return os.WriteFile(path, make([]byte, keyPlaces*placeSize), 0o600) },
	} {
		dir := t.TempDir()
		s := open(t, dir)
		st := begin(t, s, run(1))
		apply1(t, st, []*consensus.Decision{decision(0)}, consensus.Write{Slot: 0, Name: "state", Data: []byte("0")}, consensus.Write{Slot: 1, Name: "state", Data: []byte("1")})
		s.Close()
		if err := change(filepath.Join(dir, KeysFile)); err != nil {
			t.Fatal(err)
		}
		if _, err := last(t, open(t, dir)).Saved(); err == nil || !strings.Contains(err.Error(), "slot 1") {
			t.Errorf("%s: got %v, want an error", name, err)
		}
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOneRosterAProcess(t *testing.T) {
	path := t.TempDir()
	s := open(t, path)
	if err := s.SignRoster([32]byte{1}, []byte("a,b,c")); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s = open(t, path)
	for _, tc := range []struct {
		process byte
		roster  string
		want    error
	}{{1, "a,b,c", nil}, {1, "a,b,d", errSigned}, {2, "a,b,d", nil}} {
		if err := s.SignRoster([32]byte{tc.process}, []byte(tc.roster)); !errors.Is(err, tc.want) {
			t.Errorf("process %d signs %s: got %v, want %v", tc.process, tc.roster, err, tc.want)
		}
	}
	if got, err := s.Roster([32]byte{1}); err != nil || string(got) != "a,b,c" {
		t.Errorf("signed roster: got %q, %v", got, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	change := func(path string, f func(tx *bbolt.Tx) error) {
		db, err := bbolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.Update(f); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct {
		prepare func(path string)
		want    string
	}{
		"other version": {func(path string) {
			change(path, func(tx *bbolt.Tx) error {
				b, err := tx.CreateBucket(bucketMeta)
				if err != nil {
					return err
				}
				return b.Put(keyVersion, binary.BigEndian.AppendUint32(nil, 8))
			})
		}, "want version 7, got 8: finish its run"},
		"foreign file": {func(path string) {
			change(path, func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("mail")); return err })
		}, `a bucket "mail"`},
		"no database": {func(path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("text ", 4000)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "state.db"},
		"in use": {func(path string) { open(t, filepath.Dir(path)) }, "in use by another process"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			tc.prepare(filepath.Join(dir, StateFile))
			if s, err := Open(dir); err == nil {
				s.Close()
				t.Fatal("opened")
			} else if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %q, want it to say %q", err, tc.want)
			}
		})
	}
}

// Many runs can follow each other in one folder. The file is as long as its longest run needs. Of
// earlier runs, it keeps only the record that they existed.
func TestAnEarlierRunLeavesNoLog(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	var first int64
	for id := byte(1); id <= 5; id++ {
		st := begin(t, s, run(id))
		for slot := range uint64(200) {
			d := decision(slot)
			d.Total = make([]float64, 500)
			apply1(t, st, []*consensus.Decision{d}, consensus.Write{Slot: slot, Name: consensus.EntryState, Data: []byte("state")})
		}
		if err := st.End("it is finished"); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, StateFile))
		if err != nil {
			t.Fatal(err)
		}
		if id == 1 {
			first = info.Size()
		}
		if size := info.Size(); size > first+first/2 {
			t.Fatalf("the file has %d bytes after the first run, and %d after %d runs as long", first, size, id)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	if !s.Knows([32]byte{1}) || s.Over([32]byte{1}) != "it is finished" {
		t.Errorf("of the first run is known: %v, and why it is over: %q", s.Knows([32]byte{1}), s.Over([32]byte{1}))
	}
	if d, err := last(t, s).Decision(199); err != nil || d == nil {
		t.Errorf("the log of the last run: got %v and %v", d, err)
	}
}
