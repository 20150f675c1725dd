// Package filelock lets one process at a time hold a file. The system releases the file when
// the process ends, in whatever way.
package filelock

import (
	"errors"
	"os"
)

// ErrHeld is the error of [Try] if another process holds the file.
var ErrHeld = errors.New("another process holds it")

// Wait waits until this process holds the file. It creates the file if it is missing.
func Wait(path string) (unlock func(), err error) { return lock(path, true) }

// Try is like [Wait], but it returns [ErrHeld] if another process, or another part of this one,
// holds the file.
func Try(path string) (unlock func(), err error) { return lock(path, false) }

func lock(path string, wait bool) (unlock func(), err error) {
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		if err := take(f, wait); err != nil {
			_ = f.Close()
			return nil, &os.PathError{Op: "lock", Path: path, Err: err}
		}
		// The previous holder may have removed the file.
		held, err := f.Stat()
		if now, missing := os.Stat(path); err == nil && missing == nil && os.SameFile(held, now) {
			return func() { _ = f.Close() }, nil
		}
		_ = f.Close()
	}
}
