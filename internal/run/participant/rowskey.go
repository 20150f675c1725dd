package participant

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	randv2 "math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// rowsKeyFile is the file in a participant's folder with the identity of a run, a key, and a
// digest under that key of the participant's rows in the run.
const rowsKeyFile = "rows.key"

// OtherRowsError reports that a run was begun with other rows than those given, or that this
// cannot be checked.
type OtherRowsError struct {
	Dir     string
	Missing bool // there is no rows.key of this run
}

func (e *OtherRowsError) Error() string {
	if e.Missing {
		return fmt.Sprintf("%s is missing or from another run, so the rows of the unfinished run in this folder cannot be checked: restore it, or begin another run in another folder", filepath.Join(e.Dir, rowsKeyFile))
	}
	return fmt.Sprintf("the unfinished run in %s began with other training rows, or in another order: two totals would show every member the difference. Restore those rows, with their labels if these are learned, or begin another run in another folder", e.Dir)
}

// rowsKey ensures that a participant resumes a run with the rows that it began with. Totals
// before and after a change of the rows would reveal the change to all members.
type rowsKey struct {
	dir    string
	rows   collabdict.Rows
	labels []float64 // nil unless they are learned

	key    [32]byte
	digest []byte
}

// newRowsKey draws the key of a new run. It reads the rows now, so that nobody waits for that
// later, and passes each with its label to also.
func newRowsKey(dir string, rows collabdict.Rows, labels []float64, also func(row []byte)) (*rowsKey, error) {
	k := &rowsKey{dir: dir, rows: rows, labels: labels}
	if _, err := rand.Read(k.key[:]); err != nil {
		return nil, fmt.Errorf("key of the rows: %w", err)
	}
	var err error
	k.digest, err = k.digestOf(k.key, also)
	return k, err
}

// begin records the rows of a new run.
func (k *rowsKey) begin(run [32]byte) error {
	return files.WriteBytes(filepath.Join(k.dir, rowsKeyFile), 0o600, slices.Concat(run[:], k.key[:], k.digest))
}

// resume takes the key of an unfinished run, and returns an error unless the rows are the same.
func (k *rowsKey) resume(run [32]byte) error {
	kept, err := os.ReadFile(filepath.Join(k.dir, rowsKeyFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(kept) != len(run)+len(k.key)+sha256.Size || !bytes.Equal(kept[:len(run)], run[:]) {
		return &OtherRowsError{k.dir, true}
	}
	key := [32]byte(kept[len(run):])
	digest, err := k.digestOf(key, func([]byte) {})
	if err != nil {
		return err
	}
	if !hmac.Equal(digest, kept[len(run)+len(key):]) {
		return &OtherRowsError{k.dir, false}
	}
	k.key, k.digest = key, digest
	return nil
}

// noise returns the random source of the noise in the run. It is the same whenever the run is
// resumed. Otherwise the member would show its rows with two different noises, which hides them
// less.
func (k *rowsKey) noise() randv2.Source { return randv2.NewChaCha8(k.key) }

// digestOf returns a digest of the rows, with their labels if there are any. Without the key,
// it reveals nothing about them. Each row is passed to also; of rows on other machines, their digest.
func (k *rowsKey) digestOf(key [32]byte, also func(row []byte)) ([]byte, error) {
	h := hmac.New(sha256.New, key[:])
	if origin := lanes.OriginOf(k.rows); origin != nil { // the key stays here
		h.Write(origin.Source.Digest())
		also(origin.Source.Digest())
		return h.Sum(nil), nil
	}
	var b []byte
	n := 0
	err := lanes.EachRow(k.rows, func(row []float64) {
		b = binary.BigEndian.AppendUint64(b[:0], uint64(len(row)))
		for _, v := range row {
			b = binary.BigEndian.AppendUint64(b, math.Float64bits(v))
		}
		h.Write(b)
		if n < len(k.labels) {
			b = binary.BigEndian.AppendUint64(b, math.Float64bits(k.labels[n]))
		}
		n++
		also(b)
	})
	for _, l := range k.labels {
		h.Write(binary.BigEndian.AppendUint64(b[:0], math.Float64bits(l)))
	}
	return h.Sum(nil), err
}

// forget removes the key when the run is over: with it, others could subtract the noise.
func (k *rowsKey) forget() error {
	if err := os.Remove(filepath.Join(k.dir, rowsKeyFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
