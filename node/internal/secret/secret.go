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

	"github.com/collabdict/collabdict/internal/files"
)

// A Secret is random bytes that the members of a run share, and nobody else knows.
type Secret []byte

const (
	least = 16 // bytes; a peer that is dialled can test guesses against the proof, see prove.go
	most  = 64 // bytes: a block of SHA-256
	drawn = 32 // bytes of a new secret
)

// Validate returns an error if the secret is too short or too long.
func (s Secret) Validate() error {
	if len(s) < least || len(s) > most {
		return fmt.Errorf("want a secret of %d to %d bits, got %d", 8*least, 8*most, 8*len(s))
	}
	return nil
}

// Make writes a new secret to a new file, which only its owner can read.
func Make(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: the file exists: choose another name", path)
	}
	s := make(Secret, drawn)
	if _, err := rand.Read(s); err != nil {
		return err
	}
	return files.WriteBytes(path, 0o600, []byte(hex.EncodeToString(s)+"\n"))
}

// Read reads a secret from a file: hexadecimal digits in one line. Only the file's owner may be
// able to read it.
func Read(path string) (Secret, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := files.CheckPrivate(path); err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, 4*most)) // a longer file is not a secret
	if err != nil {
		return nil, err
	}
	s, err := Parse(string(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// Parse decodes the text of a secret's file. Its errors do not show the secret.
func Parse(text string) (Secret, error) {
	b, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("want a secret of %d to %d hexadecimal digits in one line, got other text", 2*least, 2*most)
	}
	return b, Secret(b).Validate()
}
