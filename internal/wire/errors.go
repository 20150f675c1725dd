package wire

import (
	"errors"
	"fmt"
)

// VersionError says that the sender speaks another version of an encoding.
type VersionError struct{ Got, Want uint32 }

func (e *VersionError) Error() string {
	return fmt.Sprintf("wire version: want %d, got %d: all members need the same release of collabdict", e.Want, e.Got)
}

// FormatError says that bytes are not an encoding of this package.
type FormatError struct {
	Field     string
	Got, Want string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("malformed message: %s: want %s, got %s", e.Field, e.Want, e.Got)
}

// LimitError says that a message is larger than the reader accepts.
type LimitError struct{ Got, Limit int }

func (e *LimitError) Error() string {
	return fmt.Sprintf("message too large: want at most %d bytes, got %d", e.Limit, e.Got)
}

// ErrChecksum says that a frame changed on its way.
var ErrChecksum = errors.New("frame does not match its checksum")

func malformed(field string, got any, want string) error {
	return &FormatError{Field: field, Got: fmt.Sprint(got), Want: want}
}
