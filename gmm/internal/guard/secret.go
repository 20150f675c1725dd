package guard

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Secret determines a participant's draws. Nobody else has it. After a restart, a participant
// draws the same again.
type Secret [32]byte

// NewSecret takes a secret from a source of secrets.
func NewSecret(src rand.Source) (s Secret) {
	for at := 0; at < len(s); at += 8 {
		binary.LittleEndian.PutUint64(s[at:], src.Uint64())
	}
	return s
}

// Source returns a random source for one purpose, which must be unique in a run.
func (s Secret) Source(purpose ...any) rand.Source {
	return rand.NewChaCha8(sha256.Sum256(append(s[:], fmt.Sprint(purpose...)...)))
}
