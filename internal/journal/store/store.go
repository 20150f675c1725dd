package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/collabdict/collabdict/internal/files"
)

// Version is the version of the files' layout.
const Version = 7

// The files in a participant's folder.
const (
	StateFile = "state.db"
	KeysFile  = "state.keys"
)

// The buckets:
//
//   - meta holds the version, the ID of the last run and the head of all entries.
//   - rosters holds the roster that each process has signed.
//   - runs has a bucket per run: its record, the entries of its slots, and its log of decisions.
var (
	bucketMeta    = []byte("meta")
	bucketRosters = []byte("rosters")
	bucketRuns    = []byte("runs")
	bucketSlots   = []byte("slots")
	bucketLog     = []byte("log")
	keyVersion    = []byte("version")
	keyHead       = []byte("head")
	keyLast       = []byte("last")
	keyRun        = []byte("run")
)

// A Store is the open files. It is safe for concurrent use.
type Store struct {
	path   string
	db     *bbolt.DB
	file   *os.File // the file of db
	keys   *keys
	broken atomic.Pointer[DamageError] // why bbolt must not be called any more
}

// A VersionError reports that another release has written the state.
type VersionError struct {
	Path string
	Got  uint32
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s: want version %d, got %d: finish its run with the release of collabdict that wrote it, or use a new folder", e.Path, Version, e.Got)
}

// Open opens the files in a folder, or creates them, readable by their owner alone. They
// survive a power cut from then on. Only one process can hold them. Open returns a *DamageError
// if a file is not as this participant has written it.
func Open(dir string) (*Store, error) {
	s := &Store{path: filepath.Join(dir, StateFile)}
	keysPath := filepath.Join(dir, KeysFile)
	isNew, err := s.check(keysPath)
	if err != nil {
		return nil, err
	}
	err = s.openFile(false)
	if isNew && files.IsFull(err) {
		_ = os.Truncate(s.path, 0) // bbolt may leave part of its first pages
	}
	if err == nil {
		err = s.prepare()
	}
	if err == nil {
		s.keys, err = openKeys(keysPath)
	}
	if err == nil {
		err = protect(dir)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// check checks the pages of an existing file before bbolt writes to it. An empty file is new
// unless there are keys: the process that created it got no further.
func (s *Store) check(keysPath string) (isNew bool, err error) {
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if info.Size() == 0 {
		if _, err := os.Stat(keysPath); errors.Is(err, fs.ErrNotExist) {
			return true, nil
		}
		return false, &DamageError{s.path, "it is empty"}
	}
	err = s.openFile(true)
	if err == nil {
		err = s.guard(func() error {
			info, err := s.file.Stat()
			if err != nil {
				return err
			}
			return checkPages(s.file, info.Size())
		})
	}
	return false, errors.Join(err, s.Close())
}

// openFile makes bbolt open the file and hold its lock, which readers share. If read is true,
// bbolt reads only the first two pages.
func (s *Store) openFile(read bool) error {
	s.db, s.file = nil, nil
	options := bbolt.Options{Timeout: time.Second, ReadOnly: read, OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
		f, err := os.OpenFile(name, flag, mode)
		s.file = f
		return f, err
	}}
	err := s.guard(func() (err error) {
		s.db, err = bbolt.Open(s.path, 0o600, &options)
		return err
	})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return fmt.Errorf("%s is in use by another process: stop it, or give this node another folder", s.path)
	}
	_, damaged := errors.AsType[*DamageError](err)
	_, system := errors.AsType[syscall.Errno](err)
	switch {
	case err == nil || damaged:
		return err
	case system:
		return fmt.Errorf("open %s: %w", s.path, err)
	}
	return &DamageError{s.path, err.Error()} // bbolt reports what is wrong with the first pages
}

// protect restricts the files to their owner, and makes their names durable, since bbolt syncs
// only the file. It also does so for existing files, since the process that created them may
// not have got this far.
func protect(dir string) error {
	for _, name := range []string{StateFile, KeysFile} {
		if err := files.Restrict(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return files.SyncDir(dir)
}

// Close closes the files.
func (s *Store) Close() (err error) {
	switch {
	case s.broken.Load() != nil && s.file != nil:
		err = s.file.Close()
	case s.db != nil:
		err = s.db.Close()
	}
	if s.keys != nil {
		err = errors.Join(err, s.keys.close())
	}
	return err
}

// prepare checks the version and the entries of a file, or initialises a new one.
func (s *Store) prepare() error {
	isNew := false
	err := s.view(func(root bucket) error {
		if meta := root.child(bucketMeta); meta.exists() {
			if err := s.checkVersion(meta); err != nil {
				return err
			}
			return checkEntries(root)
		}
		isNew = true
		if name, _ := root.bolt.Cursor().First(); name != nil {
			return damagef("it has a bucket %q but no version: another program has written it", name)
		}
		return nil
	})
	if err != nil || !isNew {
		return err
	}
	return s.update(func(root bucket) error {
		for _, name := range [][]byte{bucketRosters, bucketRuns} {
			if _, err := root.made(name); err != nil {
				return err
			}
		}
		meta, err := root.made(bucketMeta)
		if err != nil {
			return err
		}
		return meta.put(keyVersion, binary.BigEndian.AppendUint32(nil, Version))
	})
}

func (s *Store) checkVersion(meta bucket) error {
	v := meta.bolt.Get(keyVersion)
	if len(v) != 4 { // versions up to 5 have no digest
		var err error
		if v, err = meta.get(keyVersion); err != nil {
			return err
		}
	}
	if len(v) != 4 {
		return damagef("want a version of 4 bytes, got %d", len(v))
	}
	if got := binary.BigEndian.Uint32(v); got != Version {
		return &VersionError{s.path, got}
	}
	return nil
}

// checkEntries compares the entries with their head. It also checks the digests of those
// entries that are found by their keys. The entries of slots and logs are checked when they are
// read. Since no digest is read of a bucket whose name has changed, it checks the names, too.
func checkEntries(root bucket) error {
	if err := root.checkNames(bucketMeta, bucketRosters, bucketRuns, bucketStaged); err != nil {
		return err
	}
	want, err := readHead(root)
	if err != nil {
		return err
	}
	var got head
	for _, name := range [][]byte{bucketMeta, bucketRosters, bucketRuns} {
		b := root.child(name)
		if !b.exists() {
			return damagef("its bucket %q is missing", name)
		}
		if string(name) == string(bucketRuns) {
			err := b.bolt.ForEachBucket(func(id []byte) error { return b.child(id).checkNames(bucketSlots, bucketLog) })
			if err != nil {
				return err
			}
		}
		err := b.each(func(in bucket, key, digest []byte) (err error) {
			switch string(key) {
			case string(keyHead):
				return nil
			case string(keyData):
			default:
				_, err = in.get(key)
			}
			got.add(digest)
			return err
		})
		if err != nil {
			return err
		}
	}
	if got != want {
		return damagef("its %d entries differ from the %d that were written", got.count, want.count)
	}
	return nil
}

// checkNames returns an error if there is a bucket in this one that has none of the names.
func (b bucket) checkNames(names ...[]byte) error {
	return b.bolt.ForEachBucket(func(name []byte) error {
		if !slices.ContainsFunc(names, func(n []byte) bool { return bytes.Equal(n, name) }) {
			return damagef("nothing has written its bucket %q", name)
		}
		return nil
	})
}

// readHead returns the head of a file's entries; a new file has none yet.
func readHead(root bucket) (h head, err error) {
	meta := root.child(bucketMeta)
	if !meta.exists() {
		return h, nil
	}
	b, err := meta.get(keyHead)
	if err != nil {
		return h, err
	}
	return decodeHead(b)
}

// view runs a transaction that only reads.
func (s *Store) view(f func(root bucket) error) error {
	return s.guard(func() error {
		return s.db.View(func(tx *bbolt.Tx) error { return f(bucket{bolt: tx.Cursor().Bucket()}) })
	})
}

// update runs a transaction, which is on disk when update returns.
func (s *Store) update(f func(root bucket) error) error {
	return s.guard(func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			root := bucket{bolt: tx.Cursor().Bucket()}
			h, err := readHead(root)
			if err != nil {
				return err
			}
			root.head = &h
			if err := f(root); err != nil {
				return err
			}
			now := h.encode()
			root.head = &head{} // the head's own entry is not counted
			return root.child(bucketMeta).put(keyHead, now)
		})
	})
}
