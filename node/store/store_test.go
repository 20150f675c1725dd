package store

import (
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

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestApplySurvivesReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path)
	run, other := [32]byte{1}, [32]byte{2}
	steps := []consensus.Write{
		{Slot: 1, Kind: consensus.WroteEntered, Digest: [32]byte{3}},
		{Slot: 1, Kind: consensus.WroteVote, Digest: [32]byte{4}},
		{Slot: 1, Ballot: 2, Kind: consensus.WroteEntered, Digest: [32]byte{5}},
		{Slot: 256, Kind: consensus.WroteEntered, Digest: [32]byte{6}},
	}
	record := Record{Slot: 1, Kind: "sum", Round: 7, Invited: []string{"a", "b"}, Sum: []string{"a"}, Digest: [32]byte{4}}
	// Applied out of order and twice: the order is that of the keys.
	for _, batch := range [][]consensus.Write{steps[3:], steps[:2], steps[:3]} {
		if err := s.Apply(run, batch, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Apply(run, nil, &record); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(other, steps[:1], nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = open(t, path)
	if got, err := s.Writes(run); err != nil || !reflect.DeepEqual(got, steps) {
		t.Errorf("writes: got %v, %v; want %v", got, err, steps)
	}
	if got, err := s.Records(run); err != nil || !reflect.DeepEqual(got, []Record{record}) {
		t.Errorf("records: got %v, %v; want %v", got, err, record)
	}
	if got, err := s.Writes(other); err != nil || len(got) != 1 {
		t.Errorf("another run: got %v, %v; want one write", got, err)
	}
	if got, err := s.Records([32]byte{9}); err != nil || got != nil {
		t.Errorf("unknown run: got %v, %v; want nothing", got, err)
	}
}

func TestOneRosterAProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
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
	}{{1, "a,b,c", nil}, {1, "a,b,d", ErrSigned}, {2, "a,b,d", nil}} {
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
				return b.Put(keyVersion, binary.BigEndian.AppendUint32(nil, 7))
			})
		}, "want 1, got 7"},
		"foreign file": {func(path string) {
			change(path, func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("mail")); return err })
		}, `a bucket "mail"`},
		"no database": {func(path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("text ", 4000)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "state.db"},
		"in use": {func(path string) { open(t, path) }, "in use by another process"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			tc.prepare(path)
			if s, err := Open(path); err == nil {
				s.Close()
				t.Fatal("opened")
			} else if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %q, want it to say %q", err, tc.want)
			}
		})
	}
}
