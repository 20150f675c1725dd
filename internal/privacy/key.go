package privacy

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Key is a secret from which all of a participant's noise and draws in a run follow. Nobody else has
// it. After a restart, a participant draws the same again.
type Key [32]byte

// NewKey takes a key from a source of secrets.
func NewKey(src rand.Source) (k Key) {
	for at := 0; at < len(k); at += 8 {
		binary.BigEndian.PutUint64(k[at:], src.Uint64())
	}
	return k
}

// Source returns a random source for one purpose, which must be unique in a run.
func (k Key) Source(purpose ...any) rand.Source {
	return rand.NewChaCha8(sha256.Sum256(append(k[:], fmt.Sprint(purpose...)...)))
}
