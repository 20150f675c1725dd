package participant

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	randv2 "math/rand/v2"
	"os"
	"path/filepath"

	"github.com/collabdict/collabdict/internal/atomicfile"
)

// noiseFile has, in the folder of a participant, the identity of a run and the key of
// the noise in it.
const noiseFile = "noise.key"

// noise returns what draws the noise of a run: from a key of the operating system,
// which is the same whenever the run is gone on with. With another, the member would
// show its rows with noise twice, and that hides them less.
func noise(dir string, run [32]byte) (randv2.Source, error) {
	var key [32]byte
	path := filepath.Join(dir, noiseFile)
	kept, err := os.ReadFile(path)
	switch {
	case err == nil && len(kept) == len(run)+len(key) && bytes.Equal(kept[:len(run)], run[:]):
		copy(key[:], kept[len(run):])
		return randv2.NewChaCha8(key), nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if _, err := rand.Read(key[:]); err != nil {
		return nil, fmt.Errorf("key of the noise: %w", err)
	}
	err = atomicfile.Write(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(append(run[:], key[:]...))
		return err
	})
	return randv2.NewChaCha8(key), err
}

// forgetNoise removes the key when the run is over: with it, noise could be taken off.
func forgetNoise(dir string) error {
	if err := os.Remove(filepath.Join(dir, noiseFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
