package atomicfile

import (
	"errors"
	"strings"
)

// IsFull reports whether a write failed because the disk, or what its owner may use of it,
// is full. bbolt passes on the text alone of some errors.
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
