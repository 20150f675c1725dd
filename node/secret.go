package node

import "github.com/collabdict/collabdict/node/internal/secret"

// A Secret is random bytes that the members of a run share, and nobody else knows.
type Secret = secret.Secret

// MakeSecret writes a new secret to a new file, which only its owner can read.
func MakeSecret(path string) error { return secret.Make(path) }

// ReadSecret reads a secret from a file: 32 to 128 hexadecimal digits in one line. Only the
// file's owner may be able to read it.
func ReadSecret(path string) (Secret, error) { return secret.Read(path) }
