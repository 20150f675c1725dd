package node

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/node/internal/secret"
)

const identityFile = "identity.key"

// Identity returns the peer ID of the participant whose files are in dir. The first call
// creates its key.
func Identity(dir string) (peer.ID, error) {
	key, err := loadIdentity(dir)
	if err != nil {
		return "", err
	}
	return peer.IDFromPrivateKey(key)
}

// CheckIdentity returns an error if the folder has no member's key, or if other users can read
// the key.
func CheckIdentity(c Config) error {
	if _, err := os.Stat(filepath.Join(c.Dir, identityFile)); err != nil {
		return err
	}
	id, err := Identity(c.Dir)
	if err != nil {
		return err
	}
	return c.checkSelf(id)
}

// loadIdentity reads the participant's Ed25519 key, or creates one. After a crash at any point
// the file is complete or absent.
func loadIdentity(dir string) (crypto.PrivKey, error) {
	if err := files.MkdirPrivate(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, identityFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeIdentity(path); err != nil {
			return nil, fmt.Errorf("make %s: %w", path, err)
		}
		b, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	if err := files.CheckPrivate(path); err != nil {
		return nil, err
	}
	key, err := crypto.UnmarshalPrivateKey(b)
	if err != nil {
		return nil, fmt.Errorf("%s: not an identity key: restore it from a backup, or remove it to become a new member", path)
	}
	return key, nil
}

// makeIdentity writes a new key.
func makeIdentity(path string) error {
	key, _, err := crypto.GenerateEd25519Key(rand.Reader)
	if err != nil {
		return err
	}
	b, err := crypto.MarshalPrivateKey(key)
	if err != nil {
		return err
	}
	return files.WriteBytes(path, 0o600, b)
}

// A Secret is random bytes that the members of a run share, and nobody else knows.
type Secret = secret.Secret

// MakeSecret writes a new secret to a new file, which only its owner can read.
func MakeSecret(path string) error { return secret.Make(path) }

// ReadSecret reads a secret from a file: 32 to 128 hexadecimal digits in one line. Only the
// file's owner may be able to read it.
func ReadSecret(path string) (Secret, error) { return secret.Read(path) }
