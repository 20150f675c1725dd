package npz

import (
	"errors"
	"fmt"
)

// The kinds of fault. An [*Error] wraps one of them.
var (
	// ErrFormat means that the file is damaged or forged.
	ErrFormat = errors.New("malformed")
	// ErrUnsupported means that a well-formed file uses another element type, byte order, array
	// order or version.
	ErrUnsupported = errors.New("unsupported")
	// ErrTooLarge means that a member exceeds the size limit.
	ErrTooLarge = errors.New("too large")
	// ErrMissing means that a member does not exist.
	ErrMissing = errors.New("missing")
)

// An Error is a fault of an archive or of one of its members.
type Error struct {
	// Member is the name of the array or file, "" for the archive as a whole.
	Member string
	Msg    string
	Kind   error
}

// Error returns one line.
func (e *Error) Error() string {
	if e.Member == "" {
		return e.Msg
	}
	return fmt.Sprintf("%q: %s", e.Member, e.Msg)
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

func fault(kind error, member, format string, args ...any) error {
	return &Error{Member: member, Msg: fmt.Sprintf(format, args...), Kind: kind}
}
