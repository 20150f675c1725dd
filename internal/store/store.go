package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/collabdict/collabdict/internal/atomicfile"
)

// Version of the files' layout.
const Version = 5

// The files in a participant's folder.
const (
	StateFile = "state.db"
	KeysFile  = "state.keys"
)

// The buckets: meta holds the version and which run is the last, rosters what
// each process has signed, and runs one bucket a run with what is known of it, the
// entries of its slots and its log of decisions.
var (
	bucketMeta    = []byte("meta")
	bucketRosters = []byte("rosters")
	bucketRuns    = []byte("runs")
	bucketSlots   = []byte("slots")
	bucketLog     = []byte("log")
	keyVersion    = []byte("version")
	keyLast       = []byte("last")
	keyRun        = []byte("run")
)

// Store is the open files. It is safe for concurrent use.
type Store struct {
	db   *bbolt.DB
	keys *keys
}

// Open opens the files in a folder, or creates them readable by their owner
// alone; they are there after a power cut from then on. One process can hold them
// at a time.
func Open(dir string) (*Store, error) {
	path := filepath.Join(dir, StateFile)
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, fmt.Errorf("%s is in use by another process: stop it, or give this node a folder of its own", path)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if err := db.Update(prepare); err != nil {
		db.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	k, err := openKeys(filepath.Join(dir, KeysFile))
	if err == nil {
		err = protect(dir)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Store{db: db, keys: k}, nil
}

// protect keeps others from the files, and makes their names durable: bbolt syncs only the
// file. It is done for old files as well, since the process that made one may not have
// come this far.
func protect(dir string) error {
	for _, name := range []string{StateFile, KeysFile} {
		if err := atomicfile.Restrict(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return atomicfile.SyncDir(dir)
}

// Close releases the files.
func (s *Store) Close() error { return errors.Join(s.db.Close(), s.keys.close()) }

func prepare(tx *bbolt.Tx) error {
	if meta := tx.Bucket(bucketMeta); meta != nil {
		return checkVersion(meta.Get(keyVersion))
	}
	if name, _ := tx.Cursor().First(); name != nil {
		return fmt.Errorf("not a state file of collabdict: it has a bucket %q and no version", name)
	}
	meta, err := tx.CreateBucket(bucketMeta)
	if err != nil {
		return err
	}
	for _, name := range [][]byte{bucketRosters, bucketRuns} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return meta.Put(keyVersion, binary.BigEndian.AppendUint32(nil, Version))
}

func checkVersion(v []byte) error {
	if len(v) != 4 {
		return fmt.Errorf("damaged: want a version of 4 bytes, got %d", len(v))
	}
	if got := binary.BigEndian.Uint32(v); got != Version {
		return fmt.Errorf("state file version: want %d, got %d: use the release of collabdict that wrote it, or a new folder", Version, got)
	}
	return nil
}
