package node

import "github.com/collabdict/collabdict/node/internal/secret"

// Secret is random bytes that the members of a run have in common, and nobody else has.
type Secret = secret.Secret

// MakeSecret writes a new secret into a file that does not exist yet, for its owner alone.
func MakeSecret(path string) error { return secret.Make(path) }

// ReadSecret reads a file with a secret: 32 to 128 hexadecimal digits in one line, which
// nobody but its owner may be able to read.
func ReadSecret(path string) (Secret, error) { return secret.Read(path) }
