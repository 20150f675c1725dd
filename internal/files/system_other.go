//go:build !windows

package files

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

var full = []error{syscall.ENOSPC, syscall.EDQUOT}

// CheckPrivate returns an error if users other than its owner can read a file.
func CheckPrivate(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("%s: want a file that only its owner can read, got mode %04o: chmod 600 %s", path, mode, path)
	}
	return nil
}

// Restrict denies access to a file or folder to all but its owner, if its mode does not. On
// this system the mode does.
func Restrict(string) error { return nil }

// rename replaces a file by another. The caller syncs the folder.
func rename(from, to string) error { return os.Rename(from, to) }

// SyncDir makes the names in a folder survive a power cut.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// take locks an open file, or returns [ErrHeld] if it is not to wait.
func take(f *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		err := syscall.Flock(int(f.Fd()), how)
		switch {
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrHeld
		case !errors.Is(err, syscall.EINTR):
			return err
		}
	}
}
