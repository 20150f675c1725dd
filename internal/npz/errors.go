package npz

import (
	"errors"
	"fmt"
)

// The kinds of fault. An [*Error] wraps one of them.
var (
	// ErrFormat is a file that is not what it claims: damaged, or made by hand.
	ErrFormat = errors.New("malformed")
	// ErrUnsupported is a well-formed file that uses what is not supported:
	// another element type, byte order, array order or version.
	ErrUnsupported = errors.New("unsupported")
	// ErrTooLarge is a member beyond the size limit.
	ErrTooLarge = errors.New("too large")
	// ErrMissing is a member that is not there.
	ErrMissing = errors.New("missing")
)

// Error is a fault of an archive or of a member of it.
type Error struct {
	// Member is the name of the array or file, "" for the archive as a whole.
	Member string
	Msg    string
	Kind   error
}

// Error gives the fault in one line.
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
