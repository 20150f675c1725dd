package participant

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	randv2 "math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/collabdict/collabdict/internal/atomicfile"
	"github.com/collabdict/collabdict/internal/dataset"
)

// noiseFile has, in the folder of a participant, the identity of a run, the key of the
// noise in it, and a digest of the rows that it hides.
const noiseFile = "noise.key"

// noise returns what draws the noise of a run: from a key of the operating system,
// which is the same whenever the run is gone on with. With another, the member would
// show its rows with noise twice, and that hides them less; and with the same noise on
// other rows, or other labels where these are learned, the difference of what it shows
// would be without any. So these are an error.
func noise(dir string, run [32]byte, rows dataset.Rows, labels []float64) (randv2.Source, error) {
	var key [32]byte
	path := filepath.Join(dir, noiseFile)
	kept, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(kept) == len(run)+len(key)+sha256.Size && bytes.Equal(kept[:len(run)], run[:]) {
		copy(key[:], kept[len(run):])
		digest, err := digestOf(key, rows, labels)
		if err == nil && !bytes.Equal(digest, kept[len(run)+len(key):]) {
			err = fmt.Errorf("want the training rows and classes, in the order, that this run was begun with, as its noise hides these alone: got others; bring them back, or begin another run in another folder")
		}
		return randv2.NewChaCha8(key), err
	}
	if _, err := rand.Read(key[:]); err != nil {
		return nil, fmt.Errorf("key of the noise: %w", err)
	}
	digest, err := digestOf(key, rows, labels)
	if err != nil {
		return nil, err
	}
	err = atomicfile.Write(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(slices.Concat(run[:], key[:], digest))
		return err
	})
	return randv2.NewChaCha8(key), err
}

// digestOf tells rows apart, with their labels if there are any, and nothing of them to who
// does not have the key.
func digestOf(key [32]byte, rows dataset.Rows, labels []float64) ([]byte, error) {
	h := hmac.New(sha256.New, key[:])
	var b []byte
	err := dataset.EachRow(rows, func(row []float64) {
		b = binary.BigEndian.AppendUint64(b[:0], uint64(len(row)))
		for _, v := range row {
			b = binary.BigEndian.AppendUint64(b, math.Float64bits(v))
		}
		h.Write(b)
	})
	for _, l := range labels {
		h.Write(binary.BigEndian.AppendUint64(b[:0], math.Float64bits(l)))
	}
	return h.Sum(nil), err
}

// forgetNoise removes the key when the run is over: with it, noise could be taken off.
func forgetNoise(dir string) error {
	if err := os.Remove(filepath.Join(dir, noiseFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
