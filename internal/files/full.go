package files

import (
	"errors"
	"strings"
)

// ErrFull is the error of this system for a write to a full disk.
var ErrFull = full[0]

// IsFull reports whether a write failed because the disk, or the owner's quota, is full. For
// some errors bbolt passes on only the text.
func IsFull(err error) bool {
	if err == nil {
		return false
	}
	for _, full := range full {
		if errors.Is(err, full) || strings.Contains(err.Error(), full.Error()) {
			return true
		}
	}
	return false
}
