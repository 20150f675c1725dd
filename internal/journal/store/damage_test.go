package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/collabdict/collabdict/consensus"
)

// kept is a run of six slots in a folder, after another run.
func kept(t testing.TB, dir string) {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var errs []error
	for id := range byte(2) {
		st, err := s.Begin(run(id + 1))
		errs = append(errs, err, s.SignRoster([32]byte{id + 1}, []byte("a,b,c")))
		for slot := range uint64(6) {
			d := decision(slot)
			d.Total = make([]float64, 300)
			errs = append(errs, st.Apply([]consensus.Write{
				{Slot: slot + 1, Name: consensus.EntryState, Data: bytes.Repeat([]byte{byte(slot)}, 3000)},
				{Slot: slot + 1, Name: "call", Data: []byte("call")},
			}, []*consensus.Decision{d}))
		}
	}
	if err := errors.Join(append(errs, s.Close())...); err != nil {
		t.Fatal(err)
	}
}

// readAll reads all data of the last run.
func readAll(dir string) (err error) {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	st, err := s.Last()
	if err != nil || st == nil {
		return err
	}
	if _, err := s.Roster([32]byte{1}); err != nil {
		return err
	}
	if err := st.Each(func(*consensus.Decision) error { return nil }); err != nil {
		return err
	}
	_, err = st.Saved()
	return err
}

// change edits the file through bbolt, so that its pages are in order.
func change(t *testing.T, dir string, f func(tx *bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dir, StateFile), 0o600, nil)
	if err == nil {
		err = errors.Join(db.Update(f), db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func mustBeDamage(t *testing.T, err error, want string) {
	t.Helper()
	var damage *DamageError
	if !errors.As(err, &damage) || !strings.Contains(damage.What, want) {
		t.Errorf("got %v, want a DamageError with %q", err, want)
	}
}

// An entry is valid only in its place and in its last version, and none may be missing.
func TestEntriesProveThemselves(t *testing.T) {
	first, last := run(1).ID, run(2).ID
	log := func(tx *bbolt.Tx, id [32]byte) *bbolt.Bucket {
		return tx.Bucket(bucketRuns).Bucket(id[:]).Bucket(bucketLog)
	}
	rename := func(in *bbolt.Bucket, from, to string) error {
		b, err := in.CreateBucket([]byte(to))
		if err != nil {
			return err
		}
		var buckets [][]byte
		err = in.Bucket([]byte(from)).ForEachBucket(func(name []byte) error {
			buckets = append(buckets, bytes.Clone(name))
			return nil
		})
		for _, name := range buckets {
			err = errors.Join(err, in.Bucket([]byte(from)).MoveBucket(name, b))
		}
		return errors.Join(err, in.DeleteBucket([]byte(from)))
	}
	slot := func(n uint64) []byte { return slotKey(n, "") }
	swap := func(a, b *bbolt.Bucket, ka, kb []byte) error {
		x, y := bytes.Clone(a.Get(ka)), bytes.Clone(b.Get(kb))
		return errors.Join(a.Put(ka, y), b.Put(kb, x))
	}
	for name, tc := range map[string]struct {
		do   func(tx *bbolt.Tx) error
		want string
	}{
		"totals of two slots change places": {func(tx *bbolt.Tx) error {
			b := log(tx, last)
			return swap(b.Bucket(slot(1)), b.Bucket(slot(2)), keyData, keyData)
		}, "is not what was written"},
		"runs change places": {func(tx *bbolt.Tx) error {
			runs := tx.Bucket(bucketRuns)
			return swap(runs.Bucket(first[:]), runs.Bucket(last[:]), keyRun, keyRun)
		}, "is not what was written"},
		"a bit of a total": {func(tx *bbolt.Tx) error {
			b := log(tx, last).Bucket(slot(3))
			v := bytes.Clone(b.Get(keyData))
			v[2000] ^= 1
			return b.Put(keyData, v)
		}, "is not what was written"},
		"the last decision vanishes": {func(tx *bbolt.Tx) error { return log(tx, last).DeleteBucket(slot(5)) }, "its 23 entries differ from the 24"},
		"an earlier run vanishes":    {func(tx *bbolt.Tx) error { return tx.Bucket(bucketRuns).DeleteBucket(first[:]) }, "its 23 entries differ from the 24"},
		"a signed roster vanishes": {func(tx *bbolt.Tx) error {
			return tx.Bucket(bucketRosters).Delete(append([]byte{1}, make([]byte, 31)...))
		}, "its 23 entries differ from the 24"},
		"which run is the last":    {func(tx *bbolt.Tx) error { return tx.Bucket(bucketMeta).Put(keyLast, first[:]) }, "is not what was written"},
		"no last run":              {func(tx *bbolt.Tx) error { return tx.Bucket(bucketMeta).Delete(keyLast) }, "its 23 entries differ from the 24"},
		"the head vanishes":        {func(tx *bbolt.Tx) error { return tx.Bucket(bucketMeta).Delete(keyHead) }, "the count of its entries"},
		"the version":              {func(tx *bbolt.Tx) error { return tx.Bucket(bucketMeta).Put(keyVersion, make([]byte, 36)) }, "is not what was written"},
		"a value without a digest": {func(tx *bbolt.Tx) error { return log(tx, last).Bucket(slot(0)).Put(keyData, []byte("short")) }, "without a digest"},
		"a bucket of the top":      {func(tx *bbolt.Tx) error { return tx.DeleteBucket(bucketRosters) }, `its bucket "rosters" is missing`},
		"the log has another name": {func(tx *bbolt.Tx) error {
			return rename(tx.Bucket(bucketRuns).Bucket(last[:]), "log", "lof")
		}, `nothing has written its bucket "lof"`},
		"the slots have another name": {func(tx *bbolt.Tx) error {
			return rename(tx.Bucket(bucketRuns).Bucket(last[:]), "slots", "Slots")
		}, `nothing has written its bucket "Slots"`},
		"a bucket of nobody": {func(tx *bbolt.Tx) error {
			_, err := tx.CreateBucket([]byte("stage"))
			return err
		}, `nothing has written its bucket "stage"`},
		"a decision at a second slot": {func(tx *bbolt.Tx) error {
			b, err := log(tx, last).CreateBucket(slot(6))
			return errors.Join(err, b.Put(keyData, log(tx, last).Bucket(slot(5)).Get(keyData)))
		}, "its 25 entries differ from the 24"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			kept(t, dir)
			if err := readAll(dir); err != nil {
				t.Fatal(err)
			}
			change(t, dir, tc.do)
			mustBeDamage(t, readAll(dir), tc.want)
		})
	}
}

// If an open file loses its end, reads return the same error, not a signal, and the file can be
// closed.
func TestAFileThatIsCutWhileItIsOpen(t *testing.T) {
	read := func(st *RunState) error { return st.Each(func(*consensus.Decision) error { return nil }) }
	write := func(st *RunState) error {
		return st.Apply([]consensus.Write{{Slot: 7, Name: "call", Data: []byte("x")}}, nil)
	}
	for name, order := range map[string][2]func(*RunState) error{"read first": {read, write}, "write first": {write, read}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			kept(t, dir)
			s := open(t, dir)
			st := last(t, s)
			if err := os.Truncate(filepath.Join(dir, StateFile), 2*int64(os.Getpagesize())); err != nil {
				t.Skip("a file that is mapped cannot be cut here: ", err)
			}
			for _, use := range order {
				mustBeDamage(t, use(st), "memory fault")
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// An empty file is new if there are no keys, and damage if there are.
func TestAnEmptyFile(t *testing.T) {
	dir := t.TempDir()
	empty := func() {
		if err := os.WriteFile(filepath.Join(dir, StateFile), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	empty()
	kept(t, dir)
	empty()
	mustBeDamage(t, readAll(dir), "it is empty")
}

func TestAnOlderFile(t *testing.T) {
	dir := t.TempDir()
	change(t, dir, func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket(bucketMeta)
		if err != nil {
			return err
		}
		return b.Put(keyVersion, binary.BigEndian.AppendUint32(nil, 5))
	})
	_, err := Open(dir)
	var version *VersionError
	if !errors.As(err, &version) || !strings.Contains(err.Error(), "want version 7, got 5: finish its run with the release of collabdict that wrote it, or use a new folder") {
		t.Errorf("got %v", err)
	}
}

// Any file is either opened and read to the end, or is damage.
func FuzzStateFile(f *testing.F) {
	dir := f.TempDir()
	kept(f, dir)
	file, err := os.ReadFile(filepath.Join(dir, StateFile))
	if err != nil {
		f.Fatal(err)
	}
	keys, err := os.ReadFile(filepath.Join(dir, KeysFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(0), []byte{0}, uint32(0))
	f.Add(uint32(1<<20), []byte{1, 2, 3}, uint32(5000))
	f.Add(uint32(16), []byte{255}, uint32(0))
	f.Add(uint32(os.Getpagesize()+10), []byte{255, 255}, uint32(3))
	f.Fuzz(func(t *testing.T, at uint32, change []byte, cut uint32) {
		b := bytes.Clone(file)
		for i, c := range change {
			b[(int(at)+i)%len(b)] ^= c
		}
		b = b[:len(b)-int(cut)%len(b)]
		dir := t.TempDir()
		if err := errors.Join(os.WriteFile(filepath.Join(dir, StateFile), b, 0o600), os.WriteFile(filepath.Join(dir, KeysFile), keys, 0o600)); err != nil {
			t.Fatal(err)
		}
		var damage *DamageError
		var version *VersionError
		if err := readAll(dir); err != nil && !errors.As(err, &damage) && !errors.As(err, &version) {
			t.Errorf("got %v, want a DamageError", err)
		}
	})
}
