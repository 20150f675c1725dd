// Package atomicfile writes files that are there whole or not at all.
package atomicfile

import (
	"encoding/json"
	"errors"
	"io"
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
	if err := os.MkdirAll(dir, folderOf(mode)); err != nil {
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
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// folderOf returns the mode of a folder for files of a mode.
func folderOf(mode os.FileMode) os.FileMode {
	if mode&0o077 == 0 {
		return 0o700
	}
	return 0o755
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
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".writable.*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// syncDir makes a rename in the folder survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
