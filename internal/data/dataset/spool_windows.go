package dataset

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// vanishingFile creates a file that the system removes with the process.
func vanishingFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, spoolPattern)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, errors.Join(err, os.Remove(f.Name()))
	}
	return os.OpenFile(f.Name(), os.O_RDWR|windows.FILE_FLAG_DELETE_ON_CLOSE, 0o600)
}
