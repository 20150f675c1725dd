// Package atomicfile writes files that are there whole or not at all, and keeps private
// ones from others, as the system has it.
package atomicfile

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes a file through a temporary one in the same folder, which is
// synced and renamed over it at the end. After an error, or a crash at any
// moment, the old file stands as it was. Missing folders are made, for their owner alone
// if the file is. A symbolic link is followed; what is no regular file, such as a device or a pipe, is written to
// as it is.
func Write(path string, mode os.FileMode, content func(io.Writer) error) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeThrough(path, content)
	}
	dir := filepath.Dir(path)
	if err := makeFolder(dir, mode); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if private(mode) {
		if err = Restrict(f.Name()); err != nil {
			return err
		}
	}
	if err = content(f); err != nil {
		return err
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = rename(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// private reports whether a file of a mode is its owner's alone.
func private(mode os.FileMode) bool { return mode&0o077 == 0 }

// makeFolder makes a missing folder for files of a mode.
func makeFolder(dir string, mode os.FileMode) error {
	if private(mode) {
		return MkdirPrivate(dir)
	}
	return os.MkdirAll(dir, 0o755)
}

// MkdirPrivate makes a folder, with those above it, for its owner alone. One that is there
// stays as it is.
func MkdirPrivate(dir string) error {
	if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(dir, 0o700) // which says what is wrong with it
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return Restrict(dir)
}

// WriteJSON writes a value as indented JSON, as Write does, for the owner alone.
func WriteJSON(path string, v any) error {
	return Write(path, 0o600, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(v)
	})
}

func writeThrough(path string, content func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(content(f), f.Close())
}

// CheckDir makes the folder, for its owner alone, if it is missing, and reports whether files can be
// written there.
func CheckDir(dir string) error {
	if err := MkdirPrivate(dir); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".writable.*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
