package files

import (
	"errors"
	"os"
)

// ErrHeld is the error of [TryLock] if another process holds the file.
var ErrHeld = errors.New("another process holds it")

// Lock waits until this process holds the file, and creates it if it is missing. The system
// releases the file when the process ends, in whatever way.
func Lock(path string) (unlock func(), err error) { return lock(path, true) }

// TryLock is like [Lock], but it returns [ErrHeld] if another process, or another part of this one,
// holds the file.
func TryLock(path string) (unlock func(), err error) { return lock(path, false) }

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
