//go:build !windows

package dataset

import (
	"errors"
	"os"
)

// vanishingFile creates a file without a name, so that it vanishes with the process.
func vanishingFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, spoolPattern) // mode 0600
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
