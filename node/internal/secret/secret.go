package secret

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/collabdict/collabdict/internal/atomicfile"
)

// Secret is random bytes that the members of a run have in common, and nobody else has.
type Secret []byte

const (
	least = 16 // bytes. Whoever is dialled gets a proof to test guesses against: see prove.go
	most  = 64 // bytes: a block of SHA-256
	drawn = 32 // bytes of a new secret
)

// Validate reports a secret that could be guessed.
func (s Secret) Validate() error {
	if len(s) < least || len(s) > most {
		return fmt.Errorf("want a secret of %d to %d bits, got %d", 8*least, 8*most, 8*len(s))
	}
	return nil
}

// Make writes a new secret into a file that does not exist yet, for its owner alone.
func Make(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: it exists already: choose another name", path)
	}
	s := make(Secret, drawn)
	if _, err := rand.Read(s); err != nil {
		return err
	}
	return atomicfile.Write(path, 0o600, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, hex.EncodeToString(s))
		return err
	})
}

// Read reads a file with a secret: hexadecimal digits in one line. Nobody but its owner
// may be able to read it.
func Read(path string) (Secret, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := atomicfile.CheckPrivate(path); err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, 4*most)) // a longer file is no secret either
	if err != nil {
		return nil, err
	}
	s, err := Parse(string(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// Parse reads a secret as a file has it. Its errors do not show it.
func Parse(text string) (Secret, error) {
	b, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("want a secret of %d to %d hexadecimal digits in one line, got something else", 2*least, 2*most)
	}
	return b, Secret(b).Validate()
}
