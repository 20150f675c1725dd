package wire

import (
	"errors"
	"fmt"
)

// A VersionError reports that the sender uses another version of an encoding.
type VersionError struct{ Got, Want uint32 }

func (e *VersionError) Error() string {
	return fmt.Sprintf("wire version: want %d, got %d: all members need the same release of collabdict", e.Want, e.Got)
}

// A FormatError reports bytes that are not an encoding of this package.
type FormatError struct {
	Field     string
	Got, Want string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("malformed message: %s: want %s, got %s", e.Field, e.Want, e.Got)
}

// A LimitError reports a message that is larger than the reader accepts.
type LimitError struct{ Got, Limit int }

func (e *LimitError) Error() string {
	return fmt.Sprintf("message too large: want at most %d bytes, got %d", e.Limit, e.Got)
}

// ErrChecksum reports a frame that was damaged in transit.
var ErrChecksum = errors.New("frame does not match its checksum")

func malformed(field string, got any, want string) error {
	return &FormatError{Field: field, Got: fmt.Sprint(got), Want: want}
}
